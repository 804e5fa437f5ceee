import type { RequestKind } from '@steward/contract';
import { itemErrorMessages } from '../messages/item-errors.ts';

const { details, requestKinds } = itemErrorMessages;

type DescribedError = {
  item: string;
  message: string;
  place: string;
  request_kind: RequestKind;
  is_confirmed: boolean;
  count?: number;
  first_at: string;
  last_at?: string;
  updatedFrom?: string | null;
  wordpress?: string | null;
  php?: string | null;
};

/** An error as text for the vendor of the item, without the name of the site. */
export function describeForVendor(error: DescribedError): string {
  const lines: [string, string | number | null | undefined][] = [
    [details.item, error.item],
    [details.updatedFrom, error.updatedFrom],
    [details.error, error.message],
    [details.place, error.place],
    [details.request, requestKinds[error.request_kind]],
    [details.confirmed, error.is_confirmed ? details.yes : details.no],
    [details.count, error.count],
    [details.first, error.first_at],
    [details.last, error.last_at],
    [details.wordpress, error.wordpress],
    [details.php, error.php],
  ];
  return lines
    .filter(([, value]) => value != null && value !== '')
    .map(([label, value]) => `${label}: ${value}`)
    .join('\n');
}
