const RECONNECT_DELAY_MS = 3000;
/**
 * The panel sends an event at least every few seconds. After this silence, the connection is dead or a proxy holds the
 * events back.
 */
const SILENCE_MS = 20_000;

type Handlers<Name extends string> = {
  /** Called with the data of each event with this name. */
  events: Record<Name, (data: unknown) => void>;
  onOpen?: () => void;
  /**
   * Called on each interruption and on each failed attempt to connect. The caller then requests the data: if no stream
   * ever works, the screen still changes.
   */
  onLost: () => void;
};

/** Reads server-sent events of the panel and reconnects after each interruption. Returns a function that stops it. */
export function openEventStream<Name extends string>(
  path: string,
  { events, onOpen, onLost }: Handlers<Name>,
): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout>;

  const reconnectIn = (delayMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(connect, delayMs);
  };
  const expectEvent = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      source.close();
      connect();
      onLost();
    }, SILENCE_MS);
  };
  function connect() {
    source = new EventSource(path);
    expectEvent();
    source.addEventListener('open', () => onOpen?.());
    for (const [name, onEvent] of Object.entries<(data: unknown) => void>(events)) {
      source.addEventListener(name, ({ data }) => {
        expectEvent();
        onEvent(JSON.parse(data));
      });
    }
    source.addEventListener('error', () => {
      // The browser reconnects automatically, except after an error response.
      if (source.readyState === EventSource.CLOSED) reconnectIn(RECONNECT_DELAY_MS);
      onLost();
    });
  }
  connect();

  return () => {
    clearTimeout(timer);
    source.close();
  };
}
