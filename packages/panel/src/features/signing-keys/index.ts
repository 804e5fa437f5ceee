export { createSigningKeyService, type SigningKeyService } from './signing-keys.service.ts';
