/** One server-sent event. */
export type RunEvent = {
  event: string;
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of the data.
  data: any;
};

function parseEvents(text: string): RunEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [event, id, data] = ['event', 'id', 'data'].map(field);
    return event && data ? [{ event, id: Number(id), data: JSON.parse(data) }] : [];
  });
}

type Watcher = {
  cookie?: string;
  /** An access token, instead of the cookie. */
  secret?: string;
  lastEventId?: number | undefined;
};

/** Follows the events of a run from the last event id, as a browser does. */
export const followRun = (panelUrl: string, runId: number, watcher: Watcher) =>
  followEvents(`${panelUrl}/panel/runs/${runId}/events`, watcher);

/** Follows the running runs of a user. */
export const followRuns = (panelUrl: string, watcher: Watcher) =>
  followEvents(`${panelUrl}/panel/runs/events`, watcher);

async function followEvents(url: string, watcher: Watcher) {
  const connection = new AbortController();
  const { cookie, secret, lastEventId } = watcher;
  const response = await fetch(url, {
    headers: {
      ...(cookie && { cookie }),
      ...(secret && { authorization: `Bearer ${secret}` }),
      ...(lastEventId && { 'last-event-id': String(lastEventId) }),
    },
    signal: connection.signal,
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.body || !type.includes('text/event-stream')) {
    throw new Error(`Expected an event stream, got ${response.status} with ${type}.`);
  }
  const body = response.body.pipeThrough(new TextDecoderStream());
  let text = '';

  return {
    /** Waits until `isEnough` is true, disconnects and returns the events so far. */
    async until(isEnough: (events: RunEvent[]) => boolean): Promise<RunEvent[]> {
      for await (const chunk of body) {
        text += chunk;
        // Text after the last empty line is an incomplete event.
        const events = parseEvents(text.slice(0, text.lastIndexOf('\n\n') + 2));
        if (isEnough(events)) {
          connection.abort();
          return events;
        }
      }
      throw new Error(`The event stream ended too early: ${text}`);
    },
    /** Returns all events until the panel closes the stream. */
    async all(): Promise<RunEvent[]> {
      for await (const chunk of body) text += chunk;
      return parseEvents(text);
    },
  };
}
