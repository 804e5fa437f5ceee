import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CreateLicenseRequest,
  ErrorBody,
  IdParams,
  LicenseErrorBody,
  NewLicenseResponse,
  OLD_KEY_DAYS_DEFAULT,
  RevealKeyResponse,
  RotateKeyRequest,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { KeyRevealService } from './key-reveal.service.ts';
import type { KeyRotationService } from './key-rotation.service.ts';
import type { LicenseService } from './licenses.service.ts';
import { parseExpiry } from './parse-expiry.ts';

export type KeyRouteOptions = {
  licenses: LicenseService;
  keyReveal: KeyRevealService;
  keyRotation: KeyRotationService;
};

/**
 * A stolen session or a browser left open must not suffice to read a key. A stolen access token must not reveal or
 * replace the keys of existing licenses.
 */
const config = {
  access: 'session',
  permission: 'owner',
  confirmation: true,
  tokenAction: false,
} as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const licenseErrors = { '4xx': LicenseErrorBody, '5xx': ErrorBody };

/** Routes whose response contains a license key. */
export const licenseKeyRoutes: FastifyPluginAsyncTypebox<KeyRouteOptions> = async (
  app,
  options,
) => {
  const { licenses, keyReveal, keyRotation } = options;

  app.post(
    '/panel/licenses',
    {
      config: { ...config, tokenAction: 'licenses' },
      schema: {
        operationId: 'createLicense',
        summary: 'Create a license and return its key',
        body: CreateLicenseRequest,
        response: { 200: NewLicenseResponse, ...errors },
      },
    },
    async (request) => {
      const { name, customer, plan, site_limit, services, expires_at = null } = request.body;
      const input = {
        name,
        customer,
        planName: plan,
        siteLimit: site_limit,
        services,
        expiresAt: parseExpiry(expires_at),
        count: 1,
      };
      const [license] = await licenses.create(input, getAuditOrigin(request));
      if (!license) throw new Error('No license was created.');
      return { success: true as const, license };
    },
  );

  app.post(
    '/panel/licenses/:id/reveal-key',
    {
      config,
      schema: {
        operationId: 'revealLicenseKey',
        summary: 'Reveal the key of a license',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: RevealKeyResponse, ...errors },
      },
    },
    async (request) => {
      const id = Number(request.params.id);
      const license_key = await keyReveal.reveal(id, getAuditOrigin(request));
      return { success: true as const, license_key };
    },
  );

  app.post(
    '/panel/licenses/:id/rotate-key',
    {
      config,
      schema: {
        operationId: 'rotateLicenseKey',
        summary: 'Replace the key of a license and return the new key',
        errorCodes: ['not_found', 'license_revoked', 'old_key_accepted'],
        params: IdParams,
        body: RotateKeyRequest,
        response: { 200: NewLicenseResponse, ...licenseErrors },
      },
    },
    async (request) => {
      const { old_key_days: oldKeyDays = OLD_KEY_DAYS_DEFAULT } = request.body;
      const id = Number(request.params.id);
      const license = await keyRotation.rotate(id, { oldKeyDays }, getAuditOrigin(request));
      return { success: true as const, license };
    },
  );
};
