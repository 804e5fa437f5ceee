import Type from 'typebox';
import {
  CHECKED_PAGES_MAX,
  PAGE_DETAIL_MAX_LENGTH,
  PAGE_DIFFERENCES_MAX,
  PAGE_NAME_MAX_LENGTH,
  PAGE_PATH_MAX_LENGTH,
  PAGES_REASON_MAX_LENGTH,
} from '../limits.ts';

/** The health check of pages before and after a change: which pages, and what the site found. */

/** See `resolvePagePath`. */
const pagePath = () =>
  Type.String({
    minLength: 1,
    maxLength: PAGE_PATH_MAX_LENGTH,
    pattern: '^/[^\\x00-\\x1f\\x7f]*$',
    description: 'Path and query below the home address of the site, such as `/checkout/`.',
  });

/** Only for sites with the capability `page_checks`. */
export const checkPages = () =>
  Type.Optional(
    Type.Array(pagePath(), {
      maxItems: CHECKED_PAGES_MAX,
      description:
        'Pages that the owner has marked for this site: it checks them too. Needs the capability `page_checks`.',
    }),
  );

const pageDifference = () =>
  Type.Object({
    page: Type.String({
      maxLength: PAGE_NAME_MAX_LENGTH,
      description:
        'The name of the page within a sentence, such as "the home page". Empty: the whole site.',
    }),
    kind: Type.String({
      maxLength: 64,
      description:
        'What differs: `text`, `address`, `status`, `title`, `heading`, `output_empty`, `part_empty`, `plugin_inactive`, `entries`, or another word.',
    }),
    percent: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'How similar the visible text is to the text before the change.',
      }),
    ),
    detail: Type.Optional(
      Type.String({
        maxLength: PAGE_DETAIL_MAX_LENGTH,
        description: 'Such as the name of the block, the plugin file, or the new address.',
      }),
    ),
  });

const differences = (description: string) =>
  Type.Optional(Type.Array(pageDifference(), { maxItems: PAGE_DIFFERENCES_MAX, description }));

const pageCount = (description: string) => Type.Integer({ minimum: 0, maximum: 1000, description });

/** How far a site has checked its pages. No text of a page is sent. */
export const CheckedPages = Type.Object({
  pages_planned: pageCount('The pages that the site chose for this change.'),
  pages_compared: pageCount('The pages that it could compare with their state before the change.'),
  reason: Type.Optional(
    Type.String({
      maxLength: PAGES_REASON_MAX_LENGTH,
      description:
        'Why pages could not be compared: a part of a sentence, such as "this host answers one request at a time".',
    }),
  ),
  differences: differences('What may be damage. The result is unverified.'),
  notes: differences('What may be intended.'),
});
export type CheckedPages = Type.Static<typeof CheckedPages>;
export type PageDifference = NonNullable<CheckedPages['differences']>[number];

export const checkedPages = () =>
  Type.Optional(
    Type.Object(CheckedPages.properties, {
      description:
        'How far the site has checked its pages before and after the change. Needs the capability `page_checks`. Absent: nothing changed that pages load.',
    }),
  );

export const OUTSIDE_PAGES = ['post', 'login'] as const;
export type OutsidePage = (typeof OUTSIDE_PAGES)[number];

/** Further fields of the refusal `outside_look_needed`: which pages the panel can load, and what it will not see. */
export const OutsideCheckRequest = Type.Object({
  pages: Type.Optional(
    Type.Array(
      Type.Object({
        page: Type.Unsafe<OutsidePage>({ type: 'string', enum: [...OUTSIDE_PAGES] }),
        path: pagePath(),
      }),
      { maxItems: OUTSIDE_PAGES.length },
    ),
  ),
  pages_planned: Type.Optional(CheckedPages.properties.pages_planned),
  reason: CheckedPages.properties.reason,
});
export type OutsideCheckRequest = Type.Static<typeof OutsideCheckRequest>;
