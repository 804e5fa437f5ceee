/** Receives the events that the metrics count. Labels have few values: each combination is a time series. */
export type Meter = {
  /** `route`: the pattern of the route, never the path. */
  countRequest(route: string, method: string, status: number, seconds: number): void;
  /** `verdict`: `valid`, or an error code of the contract. */
  countLicenseVerdict(verdict: string): void;
  siteCallStarted(): void;
  /** `code`: an error code of the contract if the call failed, otherwise empty. */
  siteCallEnded(kind: string, outcome: string, code: string, seconds: number): void;
  countRun(kind: string): void;
  countEndedTask(kind: string, status: string): void;
  countDelivery(kind: string, outcome: string): void;
  /** Only with a replica. */
  countListQuery(source: 'replica' | 'primary'): void;
};

/** One per process, like the metrics themselves. Null while metrics are off: then an event costs one comparison. */
let current: Meter | null = null;

export const getMeter = (): Meter | null => current;

export function setMeter(meter: Meter | null): void {
  current = meter;
}
