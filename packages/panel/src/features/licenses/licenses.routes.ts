import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ActivateRequest,
  ActivateResponse,
  CAPABILITIES,
  CheckRequest,
  CheckResponse,
  DeactivateRequest,
  DeactivateResponse,
  LicenseErrorBody,
  ValidateRequest,
  ValidateResponse,
  VerifyRequest,
} from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import { acceptJsonBodies } from '../../http/json-body.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import { BOUNDS, truncateTexts } from '../../platform/bounded-json.ts';
import type { SigningKeyService } from '../signing-keys/index.ts';
import type { ActivationService } from './activations.service.ts';
import type { CheckService } from './checks.service.ts';
import { countVerdicts } from './count-verdicts.ts';
import { supportsSiteKey } from './create-credentials.ts';
import type { ProbeSite } from './probe-site.ts';
import type { ProofService } from './proofs.service.ts';
import { SITE_CHECK_CODES } from './site-check-codes.ts';

type Options = {
  activations: ActivationService;
  checks: CheckService;
  probeSite: ProbeSite;
  signingKeys: Pick<SigningKeyService, 'getAnnouncedKey'>;
  proofs: Pick<ProofService, 'start'>;
};

/** The API for sites: the license key, site key or enrolment code in the body authenticates the client. */
export const licenseRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { activations, checks, probeSite, signingKeys, proofs } = options;
  acceptJsonBodies(app, { isFromSite: true });
  countVerdicts(app);
  const config = { access: 'license_key' } as const;
  const errors = { '4xx': LicenseErrorBody, '5xx': LicenseErrorBody };

  async function verify(body: VerifyRequest, origin: AuditOrigin) {
    const result = await checks.verify(body, origin);
    const { site_id: siteId, site_url: siteUrl } = result.activation;
    if (!body.probe) {
      if (supportsSiteKey(body.capabilities)) proofs.start(siteId);
      return result;
    }
    const endpoint = await probeSite({ siteId, siteUrl });
    return { ...result, ...(endpoint && { endpoint }) };
  }

  /** Fields beyond the base protocol (docs/protocol.md); only clients that send capabilities expect them. */
  async function buildExtensionFields({ capabilities }: { capabilities?: string[] }) {
    if (!capabilities) return {};
    const signing_key = supportsSiteKey(capabilities)
      ? await signingKeys.getAnnouncedKey()
      : undefined;
    return { capabilities: [...CAPABILITIES], ...(signing_key && { signing_key }) };
  }

  /** While the proof of address of a site is pending, each check-in or report of the site starts another attempt. */
  function retryPendingProof(error: unknown): never {
    const isPending = error instanceof AppError && error.code === 'address_not_proven';
    if (isPending) proofs.start(Number(error.details.site_id));
    throw error;
  }

  app.post(
    '/api/v1/license/validate',
    {
      config,
      schema: {
        operationId: 'validateLicense',
        summary: 'Validate a license key',
        errorCodes: [
          'missing_license_key',
          'missing_site_url',
          'invalid_site_url',
          'invalid_license_key',
          'address_not_proven',
        ],
        body: ValidateRequest,
        response: { 200: ValidateResponse, ...errors },
      },
    },
    async ({ body }) => ({
      success: true as const,
      ...(await activations.validate(body.license_key, body.site_url)),
    }),
  );

  app.post(
    '/api/v1/license/activate',
    {
      config,
      schema: {
        operationId: 'activateLicense',
        summary: 'Activate a license on a site',
        errorCodes: [
          ...SITE_CHECK_CODES,
          'enrolment_code_used',
          'enrolment_code_expired',
          'site_limit_reached',
          'seat_moves_exhausted',
          'site_has_own_key',
          'site_key_required',
        ],
        body: ActivateRequest,
        response: { 200: ActivateResponse, ...errors },
      },
    },
    async (request) => {
      const result = await activations.activate(request.body, licenseApiOrigin(request));
      if (result.site_key) proofs.start(result.activation.site_id);
      return { success: true as const, ...result, ...(await buildExtensionFields(request.body)) };
    },
  );

  app.post(
    '/api/v1/license/deactivate',
    {
      config,
      schema: {
        operationId: 'deactivateLicense',
        summary: 'Deactivate a license on a site',
        errorCodes: [
          'missing_license_key',
          'missing_site_url',
          'invalid_site_url',
          'invalid_license_key',
          'invalid_activation_token',
          'address_not_proven',
          'site_not_activated',
        ],
        body: DeactivateRequest,
        response: { 200: DeactivateResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await activations.deactivate(request.body, licenseApiOrigin(request))),
    }),
  );

  app.post(
    '/api/v1/license/check',
    {
      config,
      schema: {
        operationId: 'checkLicense',
        summary: 'Check in from a site',
        errorCodes: SITE_CHECK_CODES,
        body: CheckRequest,
        response: { 200: CheckResponse, ...errors },
      },
    },
    async ({ body }) => ({
      success: true as const,
      ...(await checks.check(body).catch(retryPendingProof)),
      ...(await buildExtensionFields(body)),
    }),
  );

  app.post(
    '/api/v1/site/verify',
    {
      config,
      // Larger than the default: an inventory can list many plugins.
      bodyLimit: BOUNDS.bytes,
      // Truncate names that are too long: validation would refuse the whole report.
      preValidation: async ({ body }) => void truncateTexts(readInventory(body)),
      schema: {
        operationId: 'verifySite',
        summary: 'Verify a site and store its inventory',
        errorCodes: SITE_CHECK_CODES,
        body: VerifyRequest,
        response: { 200: CheckResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await verify(request.body, licenseApiOrigin(request)).catch(retryPendingProof)),
      ...(await buildExtensionFields(request.body)),
    }),
  );
};

function readInventory(body: unknown): unknown {
  return (body as { inventory?: unknown } | null)?.inventory;
}

function licenseApiOrigin(request: FastifyRequest): AuditOrigin {
  return { actor: 'system', via: 'license_api', ip: request.ip, requestId: request.id };
}
