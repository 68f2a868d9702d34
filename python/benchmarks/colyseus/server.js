// A room whose state is what a frame of a live world has: a number of the step and a pose
// of 7 values for each body. It changes at a fixed rate, and the patch is sent at once.
//   node server.js HZ BODIES
const { Server, Room } = require("@colyseus/core");
const { WebSocketTransport } = require("@colyseus/ws-transport");
const { defineTypes, ArraySchema, Schema } = require("@colyseus/schema");

const [hz, bodies] = process.argv.slice(2).map(Number);
const now = () => Number(process.hrtime.bigint());
const published = [];

class World extends Schema {
  constructor() {
    super();
    this.n = 0;
    this.applied = 0;
    this.poses = new ArraySchema(...new Array(bodies * 7).fill(0));
  }
}
defineTypes(World, { n: "number", applied: "number", poses: ["float32"] });

class Live extends Room {
  onCreate() {
    this.maxClients = 1000;
    this.autoDispose = false;
    this.setState(new World());
    this.setPatchRate(null);
    let intents = 0, due = now();
    const period = 1e9 / hz, waiting = [];
    this.onMessage("push", (client, id) => {
      waiting.push(++intents);
      client.send("ack", [id, intents]);
    });
    const tick = () => {
      this.state.n++;
      if (waiting.length) this.state.applied = waiting.splice(0).at(-1);
      for (let i = 0; i < bodies * 7; i++) this.state.poses[i] = Math.sin(this.state.n / 10 + i);
      published.push([this.state.n, now()]);
      this.broadcastPatch();
      due += period;
      setTimeout(tick, Math.max(0, (due - now()) / 1e6));
    };
    tick();
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define("live", Live);
server.listen(0, "127.0.0.1").then(() => {
  const { port } = server.transport.server.address();
  console.log(JSON.stringify({ address: `127.0.0.1:${port}` }));
});
process.stdin.resume().on("end", () => {
  process.stdout.write(JSON.stringify({ published }) + "\n", () => process.exit(0));
});
