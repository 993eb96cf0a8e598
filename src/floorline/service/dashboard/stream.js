// Server-sent events, read with fetch, since an EventSource cannot show a key.

import { request } from "./api.js";

const SILENCE = 40_000; // the service says something every 15 seconds
const FIRST_WAIT = 500;
const LONGEST_WAIT = 4000;

/** Waits until somebody looks at the page; a stream that nobody sees is not kept open. */
async function seen() {
  while (document.hidden) {
    await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
  }
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Passes on each update, without end. `onChange` is called when the service is lost or found again. */
export async function follow(path, onUpdate, onChange) {
  let wait = FIRST_WAIT;
  for (;;) {
    let why = null;
    await seen();
    try {
      await readOnce(path, onUpdate, () => {
        wait = FIRST_WAIT;
        onChange(true);
      });
    } catch (error) {
      why = error;
    }
    if (document.hidden) continue;
    onChange(false, why);
    await sleep(wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

async function readOnce(path, onUpdate, onOpen) {
  const giveUp = new AbortController();
  const leave = () => giveUp.abort();
  let timer = setTimeout(leave, SILENCE);
  document.addEventListener("visibilitychange", leave);
  try {
    const answer = await request(path, { signal: giveUp.signal });
    onOpen();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(leave, SILENCE);
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      messages.forEach((message) => onUpdate(dataOf(message)));
    }
  } finally {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", leave);
  }
}

function dataOf(message) {
  const lines = message.split("\n").filter((line) => line.startsWith("data:"));
  return JSON.parse(lines.map((line) => line.slice(5)).join("\n"));
}
