import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, ID_PATTERN, LicenseErrorBody, roleMay } from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertConfirmed, getAuditOrigin, signedIn } from '../../http/access.ts';
import { zipResponse } from '../../http/openapi/file-response.ts';
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
      config: {
        access: 'session',
        permission: 'sites.view',
        confirmation: 'by_request',
        tokenAction: 'read',
      },
      // A HEAD request would create an enrolment code without delivering it.
      exposeHeadRoute: false,
      schema: {
        operationId: 'downloadPlugin',
        summary: 'Download the WordPress plugin with the address of this panel',
        description:
          'With `license_id`, the zip also contains a new enrolment code. This needs an owner, and either a confirmed session or an access token with the actions `read` and `licenses`. Requests from pages of other sites are refused.',
        errorCodes: ['cross_site_request', 'license_revoked', 'not_found', 'base_url_missing'],
        querystring: Type.Object({
          license_id: Type.Optional(
            Type.String({
              pattern: ID_PATTERN,
              description: 'The id of the license that the site will use.',
            }),
          ),
        }),
        response: {
          200: zipResponse('The plugin.'),
          304: Type.Null(),
          '4xx': LicenseErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const enrolment = authorizeEnrolment(request, request.query.license_id);
      const { fileName, zip } = await wordpressPlugin.download(request.host, enrolment);
      reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', enrolment ? 'no-store' : 'private, no-cache');
      return zip;
    },
  );

  /** Requires the same rights as creating a license: a zip with an enrolment code connects a site. */
  function authorizeEnrolment(
    request: FastifyRequest,
    licenseId: string | undefined,
  ): EnrolmentRequest | undefined {
    if (licenseId === undefined) return undefined;
    // A download is a GET without a CSRF token, and this one creates a code.
    assertSameOrigin(request, baseUrl);
    if (!roleMay(signedIn(request).user.role, 'owner')) throw new AppError('forbidden');
    assertConfirmed(request, 'licenses');
    return { licenseId: Number(licenseId), origin: getAuditOrigin(request) };
  }
};
