import type { SoftwareResponse, SoftwareType } from '@steward/contract';
import type { Static } from 'typebox';
import type { FoundOption } from '../components/search-select.tsx';
import { api } from './api.ts';

const MAX_RESULTS = 20;

/** Finds software of the fleet by part of its name or slug. */
export async function findSoftware(search: string, signal: AbortSignal): Promise<FoundOption[]> {
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
