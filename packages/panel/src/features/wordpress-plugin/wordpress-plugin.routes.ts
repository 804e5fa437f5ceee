import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, LicenseErrorBody, roleMay } from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertConfirmed, getAuditOrigin, signedIn } from '../../http/access.ts';
import { assertSameOrigin } from '../../http/same-origin.ts';
import { AppError } from '../../platform/app-error.ts';
import type { EnrolmentRequest, WordPressPluginService } from './wordpress-plugin.service.ts';

type Options = { wordpressPlugin: WordPressPluginService; baseUrl: string };

export const wordpressPluginRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { wordpressPlugin, baseUrl },
) => {
  await app.register(etag);
  app.get(
    '/panel/plugin.zip',
    {
      // Without `license_id`, the zip contains no secrets: connecting a site requires the license key, which only
      // owners can read.
      config: { access: 'session', permission: 'sites.view', tokenAction: 'read' },
      // A HEAD request would create an enrolment code without delivering it.
      exposeHeadRoute: false,
      schema: {
        summary: 'Download the WordPress plugin with the address of this panel',
        response: {
          200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
          '4xx': LicenseErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const enrolment = readEnrolment(request);
      const { fileName, zip } = await wordpressPlugin.download(request.host, enrolment);
      reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', enrolment ? 'no-store' : 'private, no-cache');
      return zip;
    },
  );

  /** A zip with an enrolment code connects a site, like a license key. */
  function readEnrolment(request: FastifyRequest): EnrolmentRequest | undefined {
    const { license_id } = request.query as Record<string, unknown>;
    if (license_id === undefined) return undefined;
    // A download is a GET without a CSRF token, and this one creates a code.
    assertSameOrigin(request, baseUrl);
    if (!roleMay(signedIn(request).user.role, 'owner')) throw new AppError('forbidden');
    assertConfirmed(request, 'licenses');
    if (typeof license_id !== 'string' || !/^[1-9]\d{0,14}$/.test(license_id)) {
      throw new AppError('invalid_request', { message: 'license_id must be the id of a license.' });
    }
    return { licenseId: Number(license_id), origin: getAuditOrigin(request) };
  }
};
