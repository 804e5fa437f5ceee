import type { SoftwareResponse, SoftwareType } from '@steward/contract';
import type { Static } from 'typebox';
import { type FoundOption, SearchSelect } from '../../../components/search-select.tsx';
import { api } from '../../../lib/api.ts';
import { commonMessages } from '../../../messages/common.ts';

type Props = {
  label: string;
  value: FoundOption | null;
  onChange: (software: FoundOption | null) => void;
};

const MAX_RESULTS = 20;

/** Finds software of the fleet by part of its name or slug. */
export function SoftwareSelect(props: Props) {
  return (
    <SearchSelect
      resource="software"
      find={findSoftware}
      nothingFound={commonMessages.noResults}
      {...props}
    />
  );
}

async function findSoftware(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const query = { search, limit: MAX_RESULTS };
  const { software } = await api<Static<typeof SoftwareResponse>>('/panel/software', {
    query,
    signal,
  });
  return software.map(({ type, slug, name }) => toOption({ type, slug, name }));
}

type Software = { type: SoftwareType; slug: string; name: string };

export const toOption = ({ type, slug, name }: Software): FoundOption => ({
  value: `${type} ${slug}`,
  label: name,
  note: slug,
});

export function parseOption({ value }: FoundOption): { item_type: SoftwareType; slug: string } {
  const [type = '', ...slug] = value.split(' ');
  return { item_type: type as SoftwareType, slug: slug.join(' ') };
}
