// The connection to the server: it joins, follows the updates, comes back by itself with
// its session when it was lost, and sends intents.
import { Decoder, encode } from "./wire.js";

const path = "/live/v1";

// Connection calls on.welcome, on.frame, on.ack and on.state as things happen. The states
// are "connecting", "live", "lost" (with the seconds until the next try) and "refused".
export class Connection {
  constructor(on) {
    this.on = on;
    this.token = takeToken();
    this.decoder = new Decoder();
    this.session = new Uint8Array(0);
    this.ids = 0;
    this.waiting = new Map(); // intents by id, until their ack
    this.wait = 0.5;
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.on.state("connecting");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${path}`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      const join = { name: "page", session: this.session, after: this.decoder.frame?.number ?? 0 };
      socket.send(encode("Hello", { token: this.token, join }));
    };
    socket.onmessage = (e) => {
      if (this.socket === socket) this.#receive(new Uint8Array(e.data));
    };
    socket.onclose = (e) => {
      if (this.socket === socket) this.#closed(e.reason);
    };
  }

  #receive(bytes) {
    let u;
    try {
      u = this.decoder.update(bytes);
    } catch (err) {
      this.decoder = new Decoder(); // begins with the next key frame
      this.socket.close(4000, err.message.slice(0, 100));
      return;
    }
    if (u.welcome) {
      this.session = u.welcome.session;
      this.wait = 0.5;
      this.on.state("live");
      this.on.welcome(u.welcome);
    } else if (u.frame) {
      this.on.frame(u.frame, this.decoder);
    } else if (u.ack) {
      this.on.ack(u.ack, this.waiting.get(u.ack.id));
      this.waiting.delete(u.ack.id);
    }
  }

  #closed(reason) {
    this.waiting.clear();
    if (/token/.test(reason)) {
      this.on.state("refused", reason);
      return;
    }
    if (/elsewhere|session/.test(reason)) this.session = new Uint8Array(0);
    this.on.state("lost", reason, this.wait);
    this.timer = setTimeout(() => this.connect(), this.wait * 1000);
    this.wait = Math.min(5, this.wait * 1.5);
  }

  // use tries again with another token.
  use(token) {
    this.token = token;
    sessionStorage.setItem("polyrhythm-token", token);
    this.connect();
  }

  // submit sends an intent and reports whether it could.
  submit(kind, value) {
    if (this.socket.readyState !== WebSocket.OPEN || !this.decoder.welcome) return false;
    const id = ++this.ids;
    this.waiting.set(id, kind);
    this.socket.send(encode("Intent", { id, kind: { case: kind, value } }));
    return true;
  }

  // get reads what the server has beside the updates.
  async get(name) {
    const headers = this.token ? { Authorization: "Bearer " + this.token } : {};
    const answer = await fetch(`${path}/${name}`, { headers });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${(await answer.text()).trim()}`);
    return name === "meshes" ? answer.arrayBuffer() : answer.json();
  }
}

// takeToken takes the token out of the address, so that it is not copied with it.
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("polyrhythm-token", given);
    history.replaceState(null, "", location.pathname);
  }
  return given ?? sessionStorage.getItem("polyrhythm-token") ?? "";
}
