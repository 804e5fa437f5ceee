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
import type { SiteClient } from '../../lib/site-client/index.ts';
import type { Origin } from '../audit/audit.service.ts';
import type { WebLoginService } from '../sites/web-login.service.ts';
import type { ActivationService } from './activations.service.ts';
import type { CheckService } from './checks.service.ts';

/** An inventory of many plugins is large; everything else is small. */
const VERIFY_BODY_LIMIT_BYTES = 1024 * 1024;

type Options = {
  activations: ActivationService;
  checks: CheckService;
  siteClient: Pick<SiteClient, 'probe'>;
  webLogin: Pick<WebLoginService, 'read'>;
};

/** Group C: the license in the body is what lets the caller in. */
export const licenseRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { activations, checks, siteClient, webLogin } = options;
  const config = { access: 'license_key' } as const;
  const errors = { '4xx': LicenseErrorBody, '5xx': LicenseErrorBody };

  async function verify(body: VerifyRequest) {
    const answer = await checks.verify(body);
    if (!body.probe) return answer;
    const endpointUrl = body.endpoint_url ?? null;
    const { site_id, site_url } = answer.activation;
    const target = { siteUrl: site_url, endpointUrl, webLogin: await webLogin.read(site_id) };
    return { ...answer, endpoint: await siteClient.probe(target) };
  }

  app.post(
    '/api/v1/license/validate',
    {
      config,
      schema: {
        summary: 'Ask about a license key',
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
        summary: 'Activate a license on a site',
        body: ActivateRequest,
        response: { 200: ActivateResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await activations.activate(request.body, originOf(request))),
      ...capabilitiesFor(request.body),
    }),
  );

  app.post(
    '/api/v1/license/deactivate',
    {
      config,
      schema: {
        summary: 'Take a license off a site',
        body: DeactivateRequest,
        response: { 200: DeactivateResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await activations.deactivate(request.body, originOf(request))),
    }),
  );

  app.post(
    '/api/v1/license/check',
    {
      config,
      schema: {
        summary: 'Check in from a site',
        body: CheckRequest,
        response: { 200: CheckResponse, ...errors },
      },
    },
    async ({ body }) => ({
      success: true as const,
      ...(await checks.check(body)),
      ...capabilitiesFor(body),
    }),
  );

  app.post(
    '/api/v1/site/verify',
    {
      config,
      bodyLimit: VERIFY_BODY_LIMIT_BYTES,
      schema: {
        summary: 'Verify a site and report what is installed on it',
        body: VerifyRequest,
        response: { 200: CheckResponse, ...errors },
      },
    },
    async ({ body }) => ({
      success: true as const,
      ...(await verify(body)),
      ...capabilitiesFor(body),
    }),
  );
};

/** A client that names no extensions gets the answer of the specification and nothing else. */
function capabilitiesFor({ capabilities }: { capabilities?: string[] }) {
  return capabilities ? { capabilities: [...CAPABILITIES] } : {};
}

function originOf(request: FastifyRequest): Origin {
  return { actor: 'system', via: 'license_api', ip: request.ip, requestId: request.id };
}
