// A day of a shop with the AWS SDK for JavaScript. PKSK_ENDPOINT says where the server is; keys come from the
// usual variables, and PKSK_CHECKS_SIGNATURES says whether the server knows them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Sha256 } from "@aws-crypto/sha256-js";
import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeLimitsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  paginateQuery,
  PutItemCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateScan,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";

const endpoint = process.env.PKSK_ENDPOINT;
const region = process.env.AWS_REGION ?? "eu-central-1";
const credentials = {
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
};
const isChecked = process.env.PKSK_CHECKS_SIGNATURES === "1";
const TableName = "shop";
const client = new DynamoDBClient({ endpoint, region });
const documents = DynamoDBDocumentClient.from(client);
const streams = new DynamoDBStreamsClient({ endpoint, region });

before(async () => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { TableName });
});

after(async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { TableName });
  for (const each of [client, streams]) each.destroy();
});

test("the client writes in batches and reads in pages", async () => {
  const puts = Array.from({ length: 25 }, (_, number) => ({
    PutRequest: { Item: { pk: { S: "CUST#7" }, sk: { S: `ORDER#${String(number).padStart(3, "0")}` } } },
  }));
  const written = await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }));
  assert.deepEqual(written.UnprocessedItems, {});

  const pages = paginateQuery(
    { client, pageSize: 10 },
    {
      TableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: "CUST#7" } },
    },
  );
  const counts = [];
  for await (const page of pages) counts.push(page.Count);
  assert.deepEqual(counts, [10, 10, 5]);
});

test("the document client has JavaScript's own values", async () => {
  const Key = { pk: "CUST#8", sk: "PROFILE" };
  const item = { ...Key, visits: 1, tags: new Set(["a", "b"]), raw: new Uint8Array([0, 255]), list: [true, null, "x"] };
  await documents.send(new PutCommand({ TableName, Item: item }));
  const updated = await documents.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET visits = visits + :one",
      ExpressionAttributeValues: { ":one": 1.5 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes, { visits: 2.5 });
  const found = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  assert.deepEqual(found.Item, { ...item, visits: 2.5 });
  const batch = await documents.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }));
  assert.equal(batch.Responses[TableName].length, 1);
  const asked = await documents.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": "CUST#8", ":prefix": "PRO" },
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  assert.equal(asked.ConsumedCapacity.CapacityUnits, 0.5);
  let scanned = 0;
  for await (const page of paginateScan({ client: documents, pageSize: 7 }, { TableName })) scanned += page.Count;
  assert.equal(scanned, 26);
});

test("errors have their classes and their fields", async () => {
  const Item = { pk: { S: "CUST#9" }, sk: { S: "PROFILE" } };
  const put = new PutItemCommand({
    TableName,
    Item,
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await client.send(put);
  await assert.rejects(client.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.deepEqual(error.Item, Item);
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.ok(error.$metadata.requestId);
    return true;
  });
  await assert.rejects(client.send(new DescribeTableCommand({ TableName: "other" })), ResourceNotFoundException);
  const items = [
    { Put: { TableName, Item: { pk: "CUST#10", sk: "PROFILE" } } },
    { Delete: { TableName, Key: { pk: "CUST#9", sk: "PROFILE" }, ConditionExpression: "attribute_exists(x)" } },
  ];
  await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems: items })), (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ["None", "ConditionalCheckFailed"]);
    return true;
  });
  await documents.send(new TransactWriteCommand({ TransactItems: items.slice(0, 1) }));
  assert.ok((await client.send(new DescribeLimitsCommand({}))).AccountMaxReadCapacityUnits > 0);
});

test("the stream has every change", async () => {
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  const { StreamArn } = Streams[0];
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const names = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const asked = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" });
    const { ShardIterator } = await streams.send(asked);
    const { Records } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    names.push(...Records.map((record) => record.eventName));
  }
  assert.equal(names.filter((name) => name === "INSERT").length, 28);
  assert.equal(names.filter((name) => name === "MODIFY").length, 1);
});

const url = new URL(endpoint);
const body = '{"Limit":1}';

function signer(secretAccessKey = credentials.secretAccessKey, accessKeyId = credentials.accessKeyId) {
  return new SignatureV4({
    credentials: { accessKeyId, secretAccessKey },
    region,
    service: "dynamodb",
    sha256: Sha256,
    applyChecksum: true,
  });
}

function listTables(more = {}) {
  return new HttpRequest({
    method: "POST",
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: "/",
    headers: {
      host: url.host,
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.ListTables",
      ...more,
    },
    body,
  });
}

async function send(request, changed = {}) {
  const query = new URLSearchParams(request.query ?? {});
  const { host, ...headers } = { ...request.headers, ...changed.headers };
  const answer = await fetch(`${url.origin}${request.path}?${String(query).replaceAll("+", "%20")}`, {
    method: request.method,
    headers,
    body: changed.body ?? request.body,
  });
  const said = await answer.json();
  return [answer.status, said.__type?.split("#")[1] ?? said.TableNames];
}

const unhoistableHeaders = new Set(["x-amz-target"]);

test("a request that the SDK's signer signed by itself is taken", async () => {
  assert.deepEqual(await send(await signer().sign(listTables())), [200, [TableName]]);
});

test("a presigned request is taken, its target signed in the header or beside it", async () => {
  const signed = await signer().presign(listTables(), { expiresIn: 60, unhoistableHeaders });
  assert.ok(signed.query["X-Amz-Signature"]);
  assert.deepEqual(await send(signed), [200, [TableName]]);

  const hoisted = await signer().presign(listTables(), { expiresIn: 60 });
  const headers = { "x-amz-target": "DynamoDB_20120810.ListTables" };
  assert.deepEqual(await send(hoisted, { headers }), [200, [TableName]]);
});

test("a presigned request whose body was left unsigned is taken", async () => {
  const signed = await signer().presign(listTables({ "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }), {
    expiresIn: 60,
    unhoistableHeaders,
  });
  assert.deepEqual(await send(signed, { body: "{}" }), [200, [TableName]]);
});

test("wrong signatures are refused as AWS refuses them", { skip: !isChecked && "any key will do here" }, async () => {
  const signed = await signer().sign(listTables());
  const past = { signingDate: new Date(Date.now() - 16 * 60_000) };
  const short = { expiresIn: 60, unhoistableHeaders, signingDate: new Date(Date.now() - 62_000) };

  assert.deepEqual(await send(signed, { body: "{}" }), [400, "InvalidSignatureException"]);
  assert.deepEqual(await send(signed, { headers: { "x-amz-target": "DynamoDB_20120810.DescribeLimits" } }), [
    400,
    "InvalidSignatureException",
  ]);
  assert.deepEqual(await send(await signer("another").sign(listTables())), [400, "InvalidSignatureException"]);
  assert.deepEqual(await send(await signer("x", "OTHER").sign(listTables())), [400, "UnrecognizedClientException"]);
  assert.deepEqual(await send(await signer().sign(listTables(), past)), [400, "InvalidSignatureException"]);
  assert.deepEqual(await send(await signer().presign(listTables(), short)), [400, "InvalidSignatureException"]);
  assert.deepEqual(await send(listTables()), [400, "MissingAuthenticationTokenException"]);
  const other = new DynamoDBClient({
    endpoint,
    region,
    credentials: { ...credentials, secretAccessKey: "another" },
    maxAttempts: 1,
  });
  await assert.rejects(other.send(new ListTablesCommand({})), { name: "InvalidSignatureException" });
  other.destroy();
});
