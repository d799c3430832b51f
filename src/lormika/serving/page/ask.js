// Questions to the server: answers, progress of slow work, and errors in words.

const GONE = "The server does not answer. Is lormika serve still running?";
const CLOSED =
  "The server does not know this browser any more, perhaps because it was started again. " +
  "Open the address that lormika serve printed; links that you have kept then work, too.";
const LOOK = 1; // seconds after which slow work says how far it is
const MOST_TRIES = 5; // while the server is busy

/** What went wrong, in words. */
export class Trouble extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** Get something: `fetchJson("cases", { list: "all" })`. */
export async function fetchJson(what, query = {}, signal = undefined) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const response = await send(`/api/${what}${given.length ? `?${new URLSearchParams(given)}` : ""}`, { signal });
  return response.json();
}

/**
 * Ask something that may take long. `tell` hears how far slow work is; aborting `signal` stops the work on the server.
 */
export async function ask(what, question, { signal, tell = () => {} } = {}) {
  const response = await work(what, question, signal, tell);
  return response.json();
}

/** Ask for a file: its content, and the name to keep it under. */
export async function askFile(what, question, options = {}) {
  const response = await work(what, question, options.signal, options.tell ?? (() => {}));
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
  return { name: name ? name[1] : "lormika", blob: await response.blob() };
}

async function work(what, question, signal, tell) {
  const job = `page-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const stop = () => fetch(`/api/jobs/${job}`, { method: "DELETE" }).catch(() => {});
  signal?.addEventListener("abort", stop, { once: true });
  try {
    let response = await post(what, { ...question, job, wait: LOOK }, signal, tell);
    while (response.status === 202) {
      tell(await response.json());
      response = await send(`/api/jobs/${job}?wait=${LOOK}`, { signal });
    }
    return response;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function post(what, body, signal, tell) {
  const options = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(`/api/${what}`, options);
    } catch (error) {
      if (error.kind !== "busy" || tries === MOST_TRIES) throw error;
      tell({ doing: "waiting: the server is busy", seconds: 0, rows: 0 });
      await new Promise((resolve) => setTimeout(resolve, 1000 * tries));
    }
  }
}

async function send(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Trouble("gone", GONE);
  }
  if (response.ok) return response;
  if (response.status === 401) throw new Trouble("token", CLOSED);
  const answer = await response.json().catch(() => ({}));
  throw new Trouble(
    answer.error?.kind ?? "internal",
    answer.error?.message ?? `The server answered ${response.status}.`,
  );
}

/** Whether an error only says that nobody wants the answer any more. */
export const isStopped = (error) => error.name === "AbortError" || error.kind === "stopped";
