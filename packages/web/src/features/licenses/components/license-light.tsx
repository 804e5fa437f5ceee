import type { LicenseStatus } from '@steward/contract';
import { Light } from '../../../components/light.tsx';
import { LICENSE_STATUS_WORDS } from '../license-words.ts';

export function LicenseLight({ status }: { status: LicenseStatus }) {
  const { word, look } = LICENSE_STATUS_WORDS[status];
  return <Light look={look}>{word}</Light>;
}
