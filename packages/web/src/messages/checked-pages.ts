import { CHECKED_PAGES_MAX } from '@steward/contract';
import { count } from '../lib/format.ts';

/** The dialog for the pages that the health check of a site opens too. */
export const checkedPagesMessages = {
  max: CHECKED_PAGES_MAX,
  title: 'Pages to check',
  note: 'The site opens these pages before and after each change, and compares them: for example a checkout or a form. If one of them stops working, the update is rolled back. Older Steward plugins ignore the list.',
  paths: 'Paths',
  pathsNote: `One per line, at most ${CHECKED_PAGES_MAX}, with a leading slash. Leave out addresses that change the site, such as /?logout=1.`,
  placeholder: '/checkout/',
  tooMany: `Enter at most ${CHECKED_PAGES_MAX} pages.`,
  save: 'Save pages',
  saved: (pages: number) =>
    pages === 0 ? 'No pages are marked now.' : `Saved ${count(pages, 'page')}.`,
} as const;
