import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteHandler } from '@steward/agent/site-handler.ts';

/** Faults that tests and the demo inject into a site. `…_after_work`: the site executes the call, then fails. */
export type Faults = {
  latencyMs?: number;
  response?:
    | 'hang'
    | 'cut'
    | 'cut_after_work'
    | 'truncated_json'
    | 'wrong_shape'
    | 'http_500'
    | 'html'
    | 'proxy_503_after_work'
    | 'died_after_work';
};

/** Adds faults to a site. A test may change `faults` while the site runs. */
export function withFaults(handler: SiteHandler, faults: Faults): SiteHandler {
  return async (request) => {
    if (faults.latencyMs) await sleep(faults.latencyMs);
    switch (faults.response) {
      case 'hang':
        return new Promise(() => {});
      case 'cut':
        return Response.error();
      case 'cut_after_work':
        // The site completes the work, but its response is lost.
        await handler(request);
        return Response.error();
      case 'proxy_503_after_work':
        // The site completes the work, but a proxy responds with 503.
        await handler(request);
        return new Response('<h1>Service Unavailable</h1>', {
          status: 503,
          headers: { 'content-type': 'text/html', 'retry-after': '30' },
        });
      case 'died_after_work':
        // The Steward plugin responds like this if PHP runs out of memory after the work.
        await handler(request);
        return Response.json(
          { success: false, code: 'action_failed', error: 'Out of memory.' },
          { status: 500 },
        );
      case 'truncated_json':
        return new Response('{"success": tru', { headers: { 'content-type': 'application/json' } });
      case 'wrong_shape':
        return Response.json({ success: 'yes' });
      case 'http_500':
        return new Response('Internal Server Error', { status: 500 });
      case 'html':
        return new Response('<!doctype html><title>My blog</title>', {
          headers: { 'content-type': 'text/html' },
        });
      default:
        return handler(request);
    }
  };
}
