// Subscribes to a run with Foxglove's own client library, and prints what it saw up to step 10.
//   node client.js URL
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { WebSocket } = require("ws");

const client = new FoxgloveClient({ ws: new WebSocket(process.argv[2], [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
const topics = new Map();
const seen = { transforms: 0, entities: 0, steps: 0, times: [] };
client.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
client.on("advertise", (channels) => {
  for (const channel of channels) topics.set(client.subscribe(channel.id), channel.topic);
  console.log(JSON.stringify({ channels: channels.map((channel) => channel.topic) }));
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const message = JSON.parse(new TextDecoder().decode(data));
  switch (topics.get(subscriptionId)) {
    case "/tf": seen.transforms = message.transforms.length; break;
    case "/scene": seen.entities = message.entities.length; break;
    case "/state":
      seen.steps = message.n;
      seen.times.push(String(timestamp));
  }
  if (seen.steps === 10 && seen.transforms && seen.entities) {
    console.log(JSON.stringify(seen));
    process.exit(0);
  }
});
