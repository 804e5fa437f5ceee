/** One server-sent event of a run. */
export type RunEvent = {
  event: string;
  id: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the panel says; the test looks at it.
  data: any;
};

function readEvents(text: string): RunEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [event, id, data] = ['event', 'id', 'data'].map(field);
    return event && data ? [{ event, id: Number(id), data: JSON.parse(data) }] : [];
  });
}

type Watcher = { cookie: string; lastEventId?: number | undefined };

/** Follows a run from where the watcher was, as a browser does. */
export async function followRun(panelUrl: string, runId: number, watcher: Watcher) {
  const leaving = new AbortController();
  const { cookie, lastEventId } = watcher;
  const response = await fetch(`${panelUrl}/panel/runs/${runId}/events`, {
    headers: { cookie, ...(lastEventId && { 'last-event-id': String(lastEventId) }) },
    signal: leaving.signal,
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.body || !type.includes('text/event-stream')) {
    throw new Error(`No events, but ${response.status} with ${type}.`);
  }
  const body = response.body.pipeThrough(new TextDecoderStream());
  let text = '';

  return {
    /** All there were when it was enough; then the watcher is gone. */
    async until(isEnough: (events: RunEvent[]) => boolean): Promise<RunEvent[]> {
      for await (const chunk of body) {
        text += chunk;
        // What stands behind the last empty line has not come as a whole yet.
        const events = readEvents(text.slice(0, text.lastIndexOf('\n\n') + 2));
        if (isEnough(events)) {
          leaving.abort();
          return events;
        }
      }
      throw new Error(`The events ended before it was enough: ${text}`);
    },
    /** All, until the panel ends them. */
    async all(): Promise<RunEvent[]> {
      for await (const chunk of body) text += chunk;
      return readEvents(text);
    },
  };
}
