import type { License } from '@steward/contract';

/** The panel gave no verdict: it is unreachable, overloaded or failing. */
export class PanelUnavailable extends Error {
  override readonly name = 'PanelUnavailable';
}

/** The panel refused the request, or the site is not connected to a panel (`not_connected`). */
export class PanelRefused extends Error {
  override readonly name = 'PanelRefused';
  readonly code: string;
  /** The license, if the panel sent it with the refusal. */
  readonly license: License | undefined;
  constructor(code: string, message: string, license?: License) {
    super(message);
    this.code = code;
    this.license = license;
  }
}
