import { CLIENT_LOGO_MAX_BYTES } from '@steward/contract';
import { clientsMessages } from '../../messages/clients.ts';

/** The panel accepts the same types. It decides by the content of the file. */
const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
export const ACCEPTED_LOGOS = LOGO_TYPES.join(',');

/** Why the panel would refuse this file. Null: it may accept it. */
export function findLogoProblem({ size, type }: Pick<File, 'size' | 'type'>): string | null {
  if (!LOGO_TYPES.includes(type)) return clientsMessages.logo.wrongType;
  return size > CLIENT_LOGO_MAX_BYTES ? clientsMessages.logo.tooLarge : null;
}
