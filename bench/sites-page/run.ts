/**
 * Compares a panel with 1,000 sites to a panel with 100,000 sites: the list of sites, its search and related requests
 * over HTTP, and the list in a browser.
 */
import { compareRequests, printRow, withFleets } from '../fleet/compare-fleets.ts';
import type { Fleet } from '../fleet/open-fleet.ts';
import { saveResults } from '../results.ts';
import { compareInBrowser } from './in-browser.ts';
import { REQUESTS } from './requests.ts';

const toLogin = ({ panel, cookies }: Fleet) => ({ url: panel.url, cookie: cookies.owner });

await withFleets({ small: 'small', large: 'large' }, async (fleets) => {
  const results = await compareRequests(fleets, REQUESTS);
  if (process.env.SKIP_BROWSER !== '1') {
    const { small, large } = fleets;
    results.push(...(await compareInBrowser(toLogin(small), toLogin(large), printRow)));
  }
  saveResults('sites-page', results);
});
