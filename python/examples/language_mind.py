"""Let a language model decide in a live run, by any endpoint for chat completions.

    train serve --task quadruped --policy runs/quadruped-001 \\
        --set 'runners=[{name: Robot, rate: 50}, {name: Capture, rate: 30}, {name: Sensors, rate: 500},
            {name: Planner, rate: 0.5}]' &
    python python/examples/language_mind.py --url http://127.0.0.1:8000/v1 --model MODEL --goal "Walk in a circle."

The key of the endpoint, if it wants one, is in the environment variable OPENAI_API_KEY. The
world does not wait: while the model thinks, or if it fails, the last decision stays.
"""

import argparse
import json
import os
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from polyrhythm import live

MAX_ANSWER = 1 << 20  # bytes


class Failed(Exception):
    """The endpoint gave no answer; `again` says whether to try once more."""

    def __init__(self, why: str, again: bool) -> None:
        super().__init__(why)
        self.again = again


def complete(arguments: argparse.Namespace, body: dict[str, Any]) -> str:
    """The text that the model answers, within the time-out."""
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(arguments.url.rstrip("/") + "/chat/completions", json.dumps(body).encode(),
        headers)
    end = time.monotonic() + arguments.timeout
    data = b""
    try:
        with urllib.request.urlopen(request, timeout=arguments.timeout) as answer:
            while chunk := answer.read1(1 << 16):
                data += chunk
                if len(data) > MAX_ANSWER:
                    raise Failed(f"the answer is longer than {MAX_ANSWER} bytes", again=False)
                if time.monotonic() > end:
                    raise TimeoutError
        return str(json.loads(data)["choices"][0]["message"]["content"])
    except urllib.error.HTTPError as error:
        raise Failed(f"HTTP status {error.code}", again=error.code >= 500 or error.code in (408, 429)) from None
    except TimeoutError:
        raise Failed(f"no answer in {arguments.timeout} s", again=True) from None
    except OSError as error:
        raise Failed(str(error), again=True) from None
    except (ValueError, LookupError, TypeError):
        raise Failed("the answer is no chat completion", again=True) from None


def perceived(run: live.Client, decision: live.Decision) -> str:
    """What the model is told of the world."""
    names = run.description.observation_names or [f"value {i}" for i in range(len(decision.observation))]
    bodies = (body.name for body in run.description.bodies)
    return json.dumps({
        "seconds_since_the_episode_began": decision.ns / 1e9,
        "observation": {name: round(float(x), 4) for name, x in zip(names, decision.observation, strict=True)},
        "poses": {name: pose.round(4).tolist() for name, pose in zip(bodies, decision.poses, strict=False)},
        "your_last_decision": decision.last,
    })


def decide(arguments: argparse.Namespace, run: live.Client, mind: live.Decider, decision: live.Decision) -> str:
    """Ask the model and reply. Returns what it decided, or raises Failed or live.Lost."""
    schema = run.description.reply_schema
    system = (
        f"You steer a simulated robot, task {run.description.task}. {arguments.goal} "
        "Answer with one JSON object of this schema, "
        f"and nothing else: {json.dumps(schema)} What you leave out stays as it is. Say why in a few words."
    )
    messages = [{"role": "system", "content": system}, {"role": "user", "content": perceived(run, decision)}]
    body: dict[str, Any] = {"model": arguments.model, "messages": messages, "temperature": 0}
    body["response_format"] = {"type": "json_schema", "json_schema": {"name": "decision", "schema": schema}}
    why = ""
    for attempt in range(1 + arguments.retries):
        if attempt > 0:
            time.sleep(min(8, arguments.backoff * 2 ** (attempt - 1)))
        try:
            text = complete(arguments, body).strip()
            if text.startswith("```"):  # many models fence what they write
                text = text.strip("`").removeprefix("json").strip()
            mind.reply(decision, text)  # the server checks it against the schema
            return text
        except live.Refused as error:  # the model may correct it
            why = str(error)
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": f"That was refused: {why}. Answer again with a JSON object of the schema."},
            ]
        except Failed as error:
            why = str(error)
            if why == "HTTP status 400" and body.pop("response_format", None):  # an endpoint that does not know it
                continue
            if not error.again:
                break
    raise Failed(why, again=False)


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--url", required=True, help="of the endpoint, without /chat/completions")
    parse.add_argument("--model", required=True)
    parse.add_argument("--goal", default="Explore, and do not fall.", help="what the model is to do")
    parse.add_argument("--address", default="127.0.0.1:8081", help="of train serve")
    parse.add_argument("--token", help="if the server wants one")
    parse.add_argument("--fingerprint", help="of the server's certificate, if it has made one")
    parse.add_argument("--timeout", type=float, default=20, help="s, for one answer")
    parse.add_argument("--retries", type=int, default=2, help="after an answer that failed or was refused")
    parse.add_argument("--backoff", type=float, default=0.5, help="s, before the first retry; doubled for each more")
    parse.add_argument("--decisions", type=int, default=0, help="end after so many; 0: never")
    arguments = parse.parse_args()

    with live.connect(arguments.address, name="mind", token=arguments.token, fingerprint=arguments.fingerprint) as run:
        try:
            with run.decide() as mind, ThreadPoolExecutor(min(16, run.description.worlds)) as pool:

                def one(decision: live.Decision) -> None:
                    try:
                        print(f"{decision.id}: {decide(arguments, run, mind, decision)}", flush=True)
                    except (Failed, live.Lost) as error:
                        print(f"{decision.id}: no decision: {error}", flush=True)

                for made, decision in enumerate(mind, 1):
                    pool.submit(one, decision)
                    if made == arguments.decisions:
                        break
                pool.shutdown()  # wait for the last
        except live.Lost as error:
            raise SystemExit(f"the run has ended: {error}") from None


if __name__ == "__main__":
    main()
