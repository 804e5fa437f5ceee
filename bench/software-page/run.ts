/**
 * Compares a panel with 1,000 sites to a panel with 100,000 sites, twenty plugins each: the pages *Software* and the
 * lists of sites with a plugin, for an owner and for a manager with access to half of the sites.
 */
import { compareRequests, withFleets } from '../fleet/compare-fleets.ts';
import { saveResults } from '../results.ts';
import { createInventory } from './inventory.ts';
import { REQUESTS } from './requests.ts';

await withFleets(
  { small: 'software-small', large: 'software' },
  async (fleets) => saveResults('software-page', await compareRequests(fleets, REQUESTS)),
  createInventory,
);
