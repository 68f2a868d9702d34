// Clients of server.js, which say when they had each state.
//   node clients.js ADDRESS CLIENTS SECONDS
const { Client } = require("colyseus.js");

const [address, clients, seconds] = process.argv.slice(2);
const now = () => Number(process.hrtime.bigint());

async function main() {
  const out = { frames: [], acks: [], seen: [], bytes: 0, ticks: 0 };
  const sent = new Map(), asked = new Map(); // by id, by number
  const rooms = [];
  for (let i = 0; i < Number(clients); i++) {
    const room = await new Client(`ws://${address}`).joinOrCreate("live");
    const frames = [];
    out.frames.push(frames);
    room.onStateChange((state) => {
      const at = now();
      frames.push([state.n, at]);
      if (i !== Math.min(1, Number(clients) - 1)) return;
      for (const [number, begun] of asked) {
        if (number <= state.applied) {
          out.seen.push(at - begun);
          asked.delete(number);
        }
      }
    });
    const receive = room.connection.transport.ws.onmessage;
    if (i === 0) {
      room.connection.transport.ws.onmessage = (event) => {
        out.bytes += event.data.byteLength;
        out.ticks++;
        receive(event);
      };
    }
    room.onMessage("ack", ([id, number]) => {
      const begun = sent.get(id);
      out.acks.push(now() - begun);
      asked.set(number, begun);
    });
    rooms.push(room);
  }
  let id = 0;
  const send = () => {
    sent.set(++id, now());
    rooms[0].send("push", id);
    setTimeout(send, 30 + ((id * 7) % 20));
  };
  send();
  setTimeout(() => {
    process.stdout.write(JSON.stringify(out) + "\n", () => process.exit(0));
  }, Number(seconds) * 1000);
}
main();
