export type Attributes = Record<string, string | number | boolean>;

export type SpanOptions = {
  kind: 'server' | 'client' | 'consumer' | 'internal';
  attributes?: Attributes;
  /** The stored `traceparent` of another process; null starts a trace. By default, the active span is the parent. */
  parent?: string | null;
};

export type Span = {
  setAttributes(attributes: Attributes): void;
  /** Marks the span as an error. */
  fail(reason: string): void;
};

/** A span whose start and end are in different callbacks. */
export type OpenSpan = Span & {
  /** Runs the function with this span as the active one. */
  run(callback: () => void): void;
  end(): void;
};

export type Tracing = {
  openSpan(name: string, options: SpanOptions): OpenSpan;
  inSpan<T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>): Promise<T>;
  /** The active span as a W3C `traceparent`. Null without one. */
  getTraceparent(): string | null;
  /** Sends the last spans. */
  stop(): Promise<void>;
};

/** One per process: OpenTelemetry follows the asynchronous calls of the whole process. Null while tracing is off. */
let current: Tracing | null = null;

export const getTracing = (): Tracing | null => current;

export function setTracing(tracing: Tracing | null): void {
  current = tracing;
}

const NO_SPAN: Span = { setAttributes: () => {}, fail: () => {} };

/** Runs the function in a new span. Without tracing, it only runs the function. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  return current ? current.inSpan(name, options, run) : run(NO_SPAN);
}

export const getTraceparent = (): string | null => current?.getTraceparent() ?? null;
