// Answers of a server for views: one request at a time, and an answer for an earlier view is dropped.
class Answers {
  constructor({ url }, receive) {
    Object.assign(this, { url, receive, latest: 0 });
  }

  async request([south, west, north, east], zoom, level) {
    const mine = ++this.latest;
    this.abort?.abort();
    this.abort = new AbortController();
    const query = new URLSearchParams({ south, west, north, east, zoom, level });
    let answer;
    try {
      const response = await fetch(`${this.url}?${query}`, { signal: this.abort.signal });
      const found = await response.json();
      answer = response.ok
        ? { ...found, failed: false, text: `The store answered with ${plural(found.requests, "request")} and ` +
            `${plural(found.units, "read unit")} in ${number(found.milliseconds)} ms.` }
        : { failed: true, text: found.problem };
    } catch (error) {
      if (error.name === "AbortError") return;
      answer = { failed: true, text: "The server does not answer. Start it again, and move the map." };
    }
    if (mine === this.latest) this.receive(answer);
  }
}
