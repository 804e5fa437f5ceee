import { screen, within } from '@testing-library/react';
import type { PanelResponses } from './fake-panel.ts';
import { NEVER_CHECKED, NO_HISTORY, NO_TAGS, type siteDetails } from './panel-fixtures.ts';

/** The responses that the page of a site needs. */
export const responsesFor = (site: ReturnType<typeof siteDetails>): PanelResponses => ({
  'GET /panel/sites/:id': site,
  'GET /panel/sites/:id/reachability': NEVER_CHECKED,
  'GET /panel/sites/:id/history': NO_HISTORY,
  'GET /panel/tags': NO_TAGS,
});

export async function findBanner() {
  const main = within(await screen.findByRole('main'));
  return within(await main.findByRole('alert'));
}
