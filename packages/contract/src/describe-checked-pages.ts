import type { CheckedPages, PageDifference } from './schemas/page-checks-api.ts';

/** How far the pages of a site were checked. `pages_planned` is null if the panel checked them and the site named no number. */
export type PageCheck = Omit<CheckedPages, 'pages_planned'> & { pages_planned: number | null };

/** Why the change of a site is unverified although it was made. */
export type UncheckedCode = 'pages_differ' | 'pages_not_checked';

/** The result of a health check of pages in words. `code`: null if all pages were compared and none differs. */
export type CheckedPagesText = { code: UncheckedCode | null; sentences: string[] };

const CHECK_PAGE = 'Open the page and check it.';
const CHECK_SITE = 'Open the site and check it.';

/** The only place that decides and words how far the pages of a site were checked. The most important sentence is the first. */
export function describeCheckedPages({
  pages_compared,
  pages_planned,
  reason = '',
  differences = [],
  notes = [],
}: PageCheck): CheckedPagesText {
  const coverage = describeCoverage(pages_compared, pages_planned, reason);
  const noted = notes.map(describeDifference);
  const [first, ...others] = differences;
  if (first) {
    const found = [`${describeDifference(first)} ${nextStepOf(first)}`].concat(
      others.map(describeDifference),
    );
    return { code: 'pages_differ', sentences: [...new Set([...found, ...coverage, ...noted])] };
  }
  const isComplete = pages_planned !== null && pages_compared >= pages_planned;
  const code = isComplete ? null : 'pages_not_checked';
  return { code, sentences: [...new Set([...coverage, ...noted])] };
}

function describeCoverage(compared: number, planned: number | null, reason: string): string[] {
  const cause = reason.replace(/[\s.]+$/, '');
  const because = cause === '' ? '' : `, because ${cause}`;
  if (planned === null) return [`${pages(compared)} could be checked from outside${because}.`];
  if (compared < planned) return [`${compared} of ${pages(planned)} could be checked${because}.`];
  return planned === 0 ? [] : [`${pages(compared)} compared.`];
}

const pages = (amount: number) => (amount === 1 ? '1 page' : `${amount} pages`);

/** A sentence without the next step, such as "The text of the home page is only 34 % the same as before." */
function describeDifference({ page, kind, percent, detail = '' }: PageDifference): string {
  const name = page === '' ? 'the site' : page;
  const subject = capitalize(name);
  switch (kind) {
    case 'text':
      return percent === undefined
        ? `The text of ${name} differs from before.`
        : `The text of ${name} is only ${percent} % the same as before.`;
    case 'address':
      return `${subject} now leads to ${detail === '' ? 'another address' : detail}.`;
    case 'status':
      return detail === ''
        ? `${subject} now responds with another HTTP status.`
        : `${subject} now responds with HTTP status ${detail}.`;
    case 'error':
      return `${subject} shows an error.`;
    case 'incomplete':
      return detail === ''
        ? `${subject} ends before its closing tag.`
        : `${subject} is unreadable: it begins with “${detail}”.`;
    case 'title':
      return `${subject} has another title than before.`;
    case 'heading':
      return `${subject} has another first heading than before.`;
    case 'output_empty':
      return detail === ''
        ? `A block or shortcode on ${name} shows nothing any more.`
        : `The block or shortcode ${detail} on ${name} shows nothing any more.`;
    case 'part_empty':
      return detail === ''
        ? `A part of ${name} is empty now.`
        : `A part of ${name} is empty now: ${detail}.`;
    case 'plugin_inactive':
      return detail === ''
        ? 'Another plugin of the site is no longer active.'
        : `The plugin ${detail} is no longer active.`;
    case 'theme':
      return 'Another theme is active than before.';
    case 'entries':
      return /^\d+$/.test(detail)
        ? `Published posts or pages of the site are gone or empty: ${Number(detail).toLocaleString('en-US')}.`
        : 'Published posts or pages of the site are gone or empty.';
    default:
      return `${subject} differs from before the change${detail === '' ? '' : `: ${detail}`}.`;
  }
}

function nextStepOf({ page, kind }: PageDifference): string {
  if (kind === 'plugin_inactive') return 'Activate it again, or restore the previous version.';
  if (kind === 'entries') return 'Compare the posts of the site with a backup.';
  return page === '' ? CHECK_SITE : CHECK_PAGE;
}

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
