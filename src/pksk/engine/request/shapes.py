"""The requests of every operation: members, types and constraints, as DynamoDB checks them.

A structure lists its members in the order in which the service reports errors: `!` marks a required one, and the
name of its shape follows unless it equals the member's. A list names the shape of its elements, a map those of its
keys and values. Bounds limit lengths, or the value of a number. Lower-case shapes are built in.
"""

from typing import Final

# The types of an attribute value, which has exactly one of them.
VALUE_MEMBERS: Final = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")

_EXPRESSIONS: Final = "ExpressionAttributeNames:Names ExpressionAttributeValues:AttributeMap"
_WRITTEN: Final = (
    "ReturnConsumedCapacity TableName!:TableArn ReturnValues:ReturnValue ConditionalOperator "
    "Expected:ExpectedAttributeMap ReturnItemCollectionMetrics "
    f"ConditionExpression:string {_EXPRESSIONS} ReturnValuesOnConditionCheckFailure"
)
_CHECKED: Final = f"{_EXPRESSIONS} ReturnValuesOnConditionCheckFailure"
_READ: Final = (
    "TableName!:TableArn IndexName Select AttributesToGet:AttributeNameList Limit:PositiveInteger "
    "ConsistentRead:boolean ConditionalOperator ExclusiveStartKey:AttributeMap ReturnConsumedCapacity "
    f"ProjectionExpression:string FilterExpression:string {_EXPRESSIONS}"
)
_NEW_INDEX: Final = "IndexName! KeySchema! Projection!"
_NEW_GLOBAL_INDEX: Final = "IndexName! KeySchema!:GlobalKeySchema Projection!"
_THROUGHPUT: Final = "ProvisionedThroughput OnDemandThroughput WarmThroughput"
_NEW_VECTOR_INDEX: Final = (
    "IndexName! VectorAttribute!:VectorAttributeDefinition SearchSchema Projection! Dimensions!:PositiveLong "
    "DistanceFunction!:VectorDistanceFunction"
)
_REPLICA: Final = (
    "RegionName!:string KMSMasterKeyId:string ProvisionedThroughputOverride OnDemandThroughputOverride "
    "GlobalSecondaryIndexes:ReplicaGlobalSecondaryIndexList TableClassOverride:TableClass"
)
_STREAMED: Final = "TableName!:ControlTableArn StreamArn!"
_STATEMENT: Final = "Statement!:PartiQLStatement Parameters:PreparedStatementParameters"
_OVERRIDES: Final = (
    "BillingModeOverride:BillingMode GlobalSecondaryIndexOverride:GlobalSecondaryIndexList "
    "LocalSecondaryIndexOverride:LocalSecondaryIndexList ProvisionedThroughputOverride:ProvisionedThroughput "
    "OnDemandThroughputOverride:OnDemandThroughput SSESpecificationOverride:SSESpecification "
    "VectorIndexOverride:VectorIndexList"
)

OPERATIONS: Final[dict[str, str]] = {
    # Items
    "PutItem": f"{_WRITTEN} Item!:AttributeMap",
    "GetItem": (
        "TableName!:TableArn Key!:AttributeMap AttributesToGet:AttributeNameList ConsistentRead:boolean "
        "ReturnConsumedCapacity ProjectionExpression:string ExpressionAttributeNames:Names"
    ),
    "UpdateItem": f"{_WRITTEN} Key!:AttributeMap UpdateExpression:string AttributeUpdates",
    "DeleteItem": f"{_WRITTEN} Key!:AttributeMap",
    "Query": (
        f"{_READ} KeyConditionExpression:string KeyConditions:ConditionMap QueryFilter:ConditionMap "
        "ScanIndexForward:boolean"
    ),
    "Scan": f"{_READ} ScanFilter:ConditionMap TotalSegments:ScanTotalSegments Segment:ScanSegment",
    "BatchGetItem": "RequestItems!:BatchGetRequestMap ReturnConsumedCapacity",
    "BatchWriteItem": (
        "RequestItems!:BatchWriteItemRequestMap ReturnConsumedCapacity ReturnItemCollectionMetrics"
    ),
    "TransactGetItems": "TransactItems!:TransactGetItemList ReturnConsumedCapacity",
    "TransactWriteItems": (
        "TransactItems!:TransactWriteItemList ClientRequestToken ReturnConsumedCapacity "
        "ReturnItemCollectionMetrics"
    ),
    # Tables
    "CreateTable": (
        "AttributeDefinitions TableName!:ControlTableArn KeySchema GlobalSecondaryIndexes:GlobalSecondaryIndexList "
        "LocalSecondaryIndexes:LocalSecondaryIndexList BillingMode TableThroughputMode:BillingMode "
        "ProvisionedThroughput StreamSpecification SSESpecification Tags:TagList TableClass "
        "DeletionProtectionEnabled:boolean WarmThroughput ResourcePolicy:string OnDemandThroughput "
        "GlobalTableSourceArn GlobalTableSettingsReplicationMode VectorIndexes:VectorIndexList"
    ),
    "DescribeTable": "TableName!:ControlTableArn",
    "UpdateTable": (
        "AttributeDefinitions TableName!:ControlTableArn BillingMode TableThroughputMode:BillingMode "
        "ProvisionedThroughput GlobalSecondaryIndexUpdates:GlobalSecondaryIndexUpdateList StreamSpecification "
        "SSESpecification ReplicaUpdates:ReplicationGroupUpdateList TableClass DeletionProtectionEnabled:boolean "
        "MultiRegionConsistency GlobalTableWitnessUpdates:GlobalTableWitnessGroupUpdateList OnDemandThroughput "
        "WarmThroughput GlobalTableSettingsReplicationMode DisassociationProtectionEnabled:boolean "
        "VectorIndexUpdates:VectorIndexUpdateList"
    ),
    "DeleteTable": "TableName!:ControlTableArn",
    "ListTables": "ExclusiveStartTableName:TableName Limit:ListTablesInputLimit",
    "TagResource": "ResourceArn! Tags!:TagList",
    "UntagResource": "ResourceArn! TagKeys!:TagKeyList",
    "ListTagsOfResource": "ResourceArn! NextToken:string",
    "DescribeLimits": "",
    "DescribeEndpoints": "",
    "DescribeTimeToLive": "TableName!:ControlTableArn",
    "UpdateTimeToLive": "TableName!:ControlTableArn TimeToLiveSpecification!",
    "DescribeContinuousBackups": "TableName!:ControlTableArn",
    "UpdateContinuousBackups": "TableName!:ControlTableArn PointInTimeRecoverySpecification!",
    "GetResourcePolicy": "ResourceArn!",
    "PutResourcePolicy": (
        "ResourceArn! Policy!:string ExpectedRevisionId:PolicyRevisionId ConfirmRemoveSelfResourceAccess:boolean"
    ),
    "DeleteResourcePolicy": "ResourceArn! ExpectedRevisionId:PolicyRevisionId",
    "DescribeContributorInsights": "TableName!:ControlTableArn IndexName:InsightsIndexName",
    "UpdateContributorInsights": (
        "TableName!:ControlTableArn IndexName:InsightsIndexName ContributorInsightsAction! ContributorInsightsMode"
    ),
    "ListContributorInsights": "TableName:ControlTableArn NextToken:string MaxResults:ListContributorInsightsLimit",
    "DescribeKinesisStreamingDestination": "TableName!:ControlTableArn",
    "EnableKinesisStreamingDestination": f"{_STREAMED} EnableKinesisStreamingConfiguration",
    "DisableKinesisStreamingDestination": f"{_STREAMED} EnableKinesisStreamingConfiguration",
    "UpdateKinesisStreamingDestination": f"{_STREAMED} UpdateKinesisStreamingConfiguration",
    # Streams
    "ListStreams": "TableName Limit:StreamsLimit ExclusiveStartStreamArn:StreamArn",
    "DescribeStream": "StreamArn! Limit:StreamsLimit ExclusiveStartShardId:ShardId ShardFilter",
    "GetShardIterator": "StreamArn! ShardId! ShardIteratorType! SequenceNumber Timestamp",
    "GetRecords": "ShardIterator! Limit:RecordsLimit",
    # PartiQL
    "ExecuteStatement": (
        f"{_STATEMENT} ConsistentRead:boolean NextToken:PartiQLNextToken ReturnConsumedCapacity "
        "Limit:PositiveInteger ReturnValuesOnConditionCheckFailure"
    ),
    "BatchExecuteStatement": "Statements!:PartiQLBatchRequest ReturnConsumedCapacity",
    "ExecuteTransaction": (
        "TransactStatements!:ParameterizedStatements ClientRequestToken ReturnConsumedCapacity"
    ),
    # Vectors
    "SearchVectors": (
        "TableName!:TableArn IndexName! ReturnConsumedCapacity ExpressionAttributeNames:Names "
        "ExpressionAttributeValues:AttributeMap ProjectionExpression:string SearchVector!:SearchVectorList "
        "SearchConditionExpression:string TopK!:TopKInteger"
    ),
    # Backups and restores
    "CreateBackup": "TableName!:ControlTableArn BackupName!",
    "DescribeBackup": "BackupArn!",
    "ListBackups": (
        "TableName:ControlTableArn Limit:BackupsInputLimit TimeRangeLowerBound TimeRangeUpperBound "
        "ExclusiveStartBackupArn:BackupArn BackupType:BackupTypeFilter"
    ),
    "DeleteBackup": "BackupArn!",
    "RestoreTableFromBackup": f"TargetTableName! BackupArn! {_OVERRIDES}",
    "RestoreTableToPointInTime": (
        "SourceTableArn:TableArn SourceTableName:TableName TargetTableName! "
        f"UseLatestRestorableTime:boolean RestoreDateTime:Date {_OVERRIDES}"
    ),
}

SHAPES: Final[dict[str, str]] = {
    # Names and other strings. A table name can be an ARN, whose bounds these are; a name alone has 3 to 255.
    "TableArn": "table 1..1024",
    "ControlTableArn": "table 3..1024",
    "TableName": "name 3..255",
    "TargetTableName": "name 3..255",
    "IndexName": "name 3..255",
    "InsightsIndexName": "name 3..255",
    "KeySchemaAttributeName": "string 1..255",
    "NonKeyAttributeName": "string 1..255",
    "VectorAttributeName": "string 1..255",
    "TimeToLiveAttributeName": "string 1..255",
    "ClientRequestToken": "string 1..36",
    "ResourceArn": "string 1..1283",
    "StreamArn": "string 37..1024",
    "GlobalTableSourceArn": "string 1..1024",
    "PolicyRevisionId": "string 1..255",
    # Numbers
    "PositiveInteger": "integer 1..",
    "PositiveLong": "long 1..",
    "ScanTotalSegments": "integer 1..1000000",
    "ScanSegment": "integer 0..999999",
    "ListTablesInputLimit": "integer 1..100",
    "ListContributorInsightsLimit": "integer ..100",
    "RecoveryPeriodInDays": "integer 1..35",
    # Enums, in the order in which the older wording lists the choices
    "AttributeAction": "enum ADD DELETE PUT",
    "ApproximateCreationDateTimePrecision": "enum MILLISECOND MICROSECOND",
    "BillingMode": "enum PROVISIONED PAY_PER_REQUEST",
    "ConditionalOperator": "enum OR AND",
    "ContributorInsightsAction": "enum ENABLE DISABLE",
    "ContributorInsightsMode": "enum THROTTLED_KEYS ACCESSED_AND_THROTTLED_KEYS",
    "DisassociationMode": "enum WAIT_FOR_REPLICATION",
    "GlobalTableSettingsReplicationMode": "enum ENABLED ENABLED_WITH_OVERRIDES DISABLED",
    "KeyType": "enum HASH RANGE",
    "MultiRegionConsistency": "enum EVENTUAL STRONG",
    "ProjectionType": "enum ALL INCLUDE KEYS_ONLY",
    "ReturnConsumedCapacity": "enum INDEXES TOTAL NONE",
    "ReturnItemCollectionMetrics": "enum SIZE NONE",
    "ReturnValue": "enum ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW",
    "ReturnValuesOnConditionCheckFailure": "enum ALL_OLD NONE",
    "SSEType": "enum AES256 KMS",
    "ScalarAttributeType": "enum B N S",
    "SearchSchemaElementType": "enum HASH INLINE_FILTER",
    "Select": "enum SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES",
    "StreamViewType": "enum OLD_IMAGE KEYS_ONLY NEW_AND_OLD_IMAGES NEW_IMAGE",
    "TableClass": "enum STANDARD_INFREQUENT_ACCESS STANDARD",
    "VectorDistanceFunction": "enum DOT_PRODUCT COSINE EUCLIDEAN",
    # Items
    "AttributeMap": "map string value",
    "AttributeNameList": "list string 1..",
    "AttributeValueList": "list value",
    "AttributeUpdates": "map string AttributeValueUpdate",
    "AttributeValueUpdate": "structure Value:value Action:AttributeAction",
    "Condition": "structure AttributeValueList ComparisonOperator!:string",
    "ConditionMap": "map string Condition",
    "ExpectedAttributeMap": "map string ExpectedAttributeValue",
    "ExpectedAttributeValue": "structure Value:value Exists:boolean ComparisonOperator:string AttributeValueList",
    "Names": "map string string",
    # Batches and transactions
    "BatchGetRequestMap": "map TableArn KeysAndAttributes 1..100",
    "BatchWriteItemRequestMap": "map TableArn WriteRequests ..25",
    "ConditionCheck": f"structure Key!:AttributeMap TableName!:TableArn ConditionExpression!:string {_CHECKED}",
    "Delete": f"structure Key!:AttributeMap TableName!:TableArn ConditionExpression:string {_CHECKED}",
    "DeleteRequest": "structure Key!:AttributeMap",
    "Get": (
        "structure Key!:AttributeMap TableName!:TableArn ProjectionExpression:string "
        "ExpressionAttributeNames:Names"
    ),
    "KeyList": "list AttributeMap 1..100",
    "KeysAndAttributes": (
        "structure Keys!:KeyList AttributesToGet:AttributeNameList ConsistentRead:boolean "
        "ProjectionExpression:string ExpressionAttributeNames:Names"
    ),
    "Put": f"structure Item!:AttributeMap TableName!:TableArn ConditionExpression:string {_CHECKED}",
    "PutRequest": "structure Item!:AttributeMap",
    "TransactGetItem": "structure Get!",
    "TransactGetItemList": "list TransactGetItem 1..100",
    "TransactWriteItem": "structure ConditionCheck Put Delete Update",
    "TransactWriteItemList": "list TransactWriteItem 1..100",
    "Update": (
        "structure Key!:AttributeMap UpdateExpression!:string TableName!:TableArn ConditionExpression:string "
        f"{_CHECKED}"
    ),
    "WriteRequest": "structure PutRequest DeleteRequest",
    "WriteRequests": "list WriteRequest 1..25",
    # Tables and indexes
    "AttributeDefinition": "structure AttributeType!:ScalarAttributeType AttributeName!:KeySchemaAttributeName",
    "AttributeDefinitions": "list AttributeDefinition",
    "CreateGlobalSecondaryIndexAction": f"structure {_NEW_GLOBAL_INDEX} {_THROUGHPUT}",
    "CreateVectorIndexAction": f"structure {_NEW_VECTOR_INDEX}",
    "DeleteGlobalSecondaryIndexAction": "structure IndexName!",
    "DeleteVectorIndexAction": "structure IndexName!",
    "GlobalKeySchema": "list KeySchemaElement 1..",
    "GlobalSecondaryIndex": f"structure {_NEW_GLOBAL_INDEX} {_THROUGHPUT}",
    "GlobalSecondaryIndexList": "list GlobalSecondaryIndex",
    "GlobalSecondaryIndexUpdate": (
        "structure Update:UpdateGlobalSecondaryIndexAction Create:CreateGlobalSecondaryIndexAction "
        "Delete:DeleteGlobalSecondaryIndexAction"
    ),
    "GlobalSecondaryIndexUpdateList": "list GlobalSecondaryIndexUpdate",
    "KeySchema": "list KeySchemaElement 1..2",
    "KeySchemaElement": "structure AttributeName!:KeySchemaAttributeName KeyType!",
    "LocalSecondaryIndex": f"structure {_NEW_INDEX}",
    "LocalSecondaryIndexList": "list LocalSecondaryIndex",
    "NonKeyAttributeNameList": "list NonKeyAttributeName 1..20",
    "OnDemandThroughput": "structure MaxReadRequestUnits:long MaxWriteRequestUnits:long",
    "Projection": "structure ProjectionType NonKeyAttributes:NonKeyAttributeNameList",
    "ProvisionedThroughput": "structure WriteCapacityUnits!:PositiveLong ReadCapacityUnits!:PositiveLong",
    "SearchSchema": "list SearchSchemaElement 1..",
    "SearchSchemaElement": "structure AttributeName!:string SearchSchemaElementType!",
    "UpdateGlobalSecondaryIndexAction": f"structure IndexName! {_THROUGHPUT}",
    "VectorAttributeDefinition": "structure AttributeName!:VectorAttributeName",
    "VectorIndex": f"structure {_NEW_VECTOR_INDEX}",
    "VectorIndexList": "list VectorIndex",
    "VectorIndexUpdate": "structure Create:CreateVectorIndexAction Delete:DeleteVectorIndexAction",
    "VectorIndexUpdateList": "list VectorIndexUpdate",
    "WarmThroughput": "structure ReadUnitsPerSecond:long WriteUnitsPerSecond:long",
    # Settings of tables
    "EnableKinesisStreamingConfiguration": "structure ApproximateCreationDateTimePrecision",
    "PointInTimeRecoverySpecification": "structure PointInTimeRecoveryEnabled!:boolean RecoveryPeriodInDays",
    "SSESpecification": "structure Enabled:boolean SSEType KMSMasterKeyId:string",
    "StreamSpecification": "structure StreamEnabled!:boolean StreamViewType",
    "Tag": "structure Key:string Value:string",
    "TagKeyList": "list string",
    "TagList": "list Tag",
    "TimeToLiveSpecification": "structure AttributeName!:TimeToLiveAttributeName Enabled!:boolean",
    "UpdateKinesisStreamingConfiguration": "structure ApproximateCreationDateTimePrecision",
    # Replicas
    "CreateGlobalTableWitnessGroupMemberAction": "structure RegionName!:string",
    "CreateReplicationGroupMemberAction": f"structure {_REPLICA}",
    "DeleteGlobalTableWitnessGroupMemberAction": "structure RegionName!:string",
    "DeleteReplicationGroupMemberAction": "structure RegionName!:string",
    "DisassociateReplicationGroupMemberAction": "structure RegionName!:string DisassociationMode!",
    "GlobalTableWitnessGroupUpdate": (
        "structure Create:CreateGlobalTableWitnessGroupMemberAction "
        "Delete:DeleteGlobalTableWitnessGroupMemberAction"
    ),
    "GlobalTableWitnessGroupUpdateList": "list GlobalTableWitnessGroupUpdate 1..1",
    "OnDemandThroughputOverride": "structure MaxReadRequestUnits:long",
    "ProvisionedThroughputOverride": "structure ReadCapacityUnits:PositiveLong",
    "ReplicaGlobalSecondaryIndex": (
        "structure IndexName! ProvisionedThroughputOverride OnDemandThroughputOverride"
    ),
    "ReplicaGlobalSecondaryIndexList": "list ReplicaGlobalSecondaryIndex 1..",
    "ReplicationGroupUpdate": (
        "structure Create:CreateReplicationGroupMemberAction Update:UpdateReplicationGroupMemberAction "
        "Delete:DeleteReplicationGroupMemberAction Disassociate:DisassociateReplicationGroupMemberAction"
    ),
    "ReplicationGroupUpdateList": "list ReplicationGroupUpdate 1..",
    "UpdateReplicationGroupMemberAction": f"structure {_REPLICA}",
    # Streams
    "ShardId": "string 28..65",
    "ShardIterator": "string 1..2048",
    "SequenceNumber": "string 21..40",
    "Timestamp": "timestamp",
    "StreamsLimit": "integer 1..100",
    "RecordsLimit": "integer 1..1000",
    "ShardFilter": "structure Type:ShardFilterType ShardId",
    "ShardFilterType": "enum CHILD_SHARDS",
    "ShardIteratorType": "enum AFTER_SEQUENCE_NUMBER LATEST AT_TIMESTAMP AT_SEQUENCE_NUMBER TRIM_HORIZON",
    # PartiQL
    "PartiQLStatement": "string 1..8192",
    "PartiQLNextToken": "string 1..32768",
    "PreparedStatementParameters": "list value 1..",
    "PartiQLBatchRequest": "list BatchStatementRequest 1..25",
    "BatchStatementRequest": (
        f"structure {_STATEMENT} ConsistentRead:boolean ReturnValuesOnConditionCheckFailure"
    ),
    "ParameterizedStatements": "list ParameterizedStatement 1..100",
    "ParameterizedStatement": f"structure {_STATEMENT} ReturnValuesOnConditionCheckFailure",
    # Vectors
    "SearchVectorList": "list value 1..4096",
    "TopKInteger": "integer 1..",
    # Backups and restores
    "BackupArn": "string 37..1024",
    "BackupName": "name 3..255",
    "BackupTypeFilter": "enum ALL AWS_BACKUP USER SYSTEM",
    "BackupsInputLimit": "integer 1..100",
    "Date": "timestamp",
    "TimeRangeLowerBound": "timestamp",
    "TimeRangeUpperBound": "timestamp",
}
