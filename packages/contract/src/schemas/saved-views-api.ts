import Type from 'typebox';
import { SAVED_VIEW_NAME_MAX_LENGTH, SAVED_VIEW_QUERY_MAX_LENGTH } from '../limits.ts';
import { requiredText, stringEnum, trueOnly } from './common.ts';

/** Views of lists that users save. */

export const SAVED_VIEW_PAGES = ['sites', 'software', 'audit'] as const;
export type SavedViewPage = (typeof SAVED_VIEW_PAGES)[number];

const query = () =>
  Type.String({
    maxLength: SAVED_VIEW_QUERY_MAX_LENGTH,
    description: 'The part of the address after the question mark: filters, order and columns.',
  });

export const SaveViewRequest = Type.Object({
  page: stringEnum(SAVED_VIEW_PAGES),
  name: requiredText(SAVED_VIEW_NAME_MAX_LENGTH),
  query: query(),
});
export type SaveViewRequest = Type.Static<typeof SaveViewRequest>;

export const SavedView = Type.Object({
  id: Type.Integer(),
  page: stringEnum(SAVED_VIEW_PAGES),
  name: Type.String(),
  query: query(),
});
export type SavedView = Type.Static<typeof SavedView>;

export const SavedViewResponse = Type.Object({ success: trueOnly(), view: SavedView });
export const SavedViewsResponse = Type.Object({
  success: trueOnly(),
  views: Type.Array(SavedView),
});
