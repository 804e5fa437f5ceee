import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, IdParams, LoginUsersResponse, OpenSiteForm } from '@steward/contract';
import type { FastifyReply } from 'fastify';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import { prepareErrorResponse, toAppError } from '../../http/errors.ts';
import { acceptForms, isForm } from '../../http/form-body.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { type Page, renderLoginPage, renderRefusalPage } from './login-page.ts';
import type { WordPressLoginService } from './wordpress-login.service.ts';

type Options = { wordPressLogin: WordPressLoginService };

const SITE_ERRORS = [
  'site_not_found',
  'site_not_active',
  'remote_disabled',
  'address_not_proven',
  'login_unsupported',
  'login_off',
  'site_rejected_key',
  'site_rejected_signature',
  'site_address_changed',
  'site_connected_elsewhere',
  'site_unreachable',
  'site_tls_error',
  'site_redirected',
  'site_invalid_response',
  'site_endpoint_not_found',
  'site_response_too_large',
  'site_down',
  'site_login_required',
  'site_timeout',
  'site_busy',
  'action_failed',
] as const;

/** A client that sends JSON gets the error as JSON. */
const ERROR_OR_PAGE = {
  content: {
    'application/json': { schema: ErrorBody },
    ...fileResponse('', 'text/html').content,
  },
};

export const wordPressLoginRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { wordPressLogin },
) => {
  // Also the list: a stolen session must not show the user names of a site.
  const config = {
    access: 'session',
    permission: 'sites.act',
    confirmation: 'after_sign_in',
    tokenAction: false,
  } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
  acceptForms(app);

  app.get(
    '/panel/sites/:id/login-users',
    {
      // It calls the site.
      exposeHeadRoute: false,
      config,
      schema: {
        operationId: 'listLoginUsers',
        summary: 'Ask a WordPress site for the users that its administrator has allowed for log-in',
        errorCodes: [...SITE_ERRORS],
        params: IdParams,
        response: { 200: LoginUsersResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedInSession(request);
      const users = await wordPressLogin.listUsers(user, Number(request.params.id));
      return { success: true as const, users };
    },
  );

  app.post(
    '/panel/sites/:id/login',
    {
      config: { ...config, csrf: 'form' },
      schema: {
        operationId: 'openSite',
        summary: 'Log in to a WordPress site: returns a page that posts a token to the site',
        description:
          'A browser sends a form with the fields `user` and `csrf_token`. The token is valid once, for 30 seconds. To a form, errors are a page too.',
        errorCodes: [...SITE_ERRORS, 'login_user_not_allowed', 'login_elsewhere'],
        params: IdParams,
        body: {
          content: {
            'application/x-www-form-urlencoded': { schema: OpenSiteForm },
            'application/json': { schema: OpenSiteForm },
          },
        },
        response: {
          200: fileResponse('A page that posts the token to the site.', 'text/html'),
          '4xx': ERROR_OR_PAGE,
          '5xx': ERROR_OR_PAGE,
        },
      },
      errorHandler(error, request, reply) {
        if (!isForm(request)) throw error;
        const appError = toAppError(error);
        reply.code(prepareErrorResponse(appError, request, reply));
        sendPage(reply, renderRefusalPage(appError.message));
      },
    },
    async (request, reply) => {
      const { user } = signedInSession(request);
      const body = request.body as OpenSiteForm;
      const [siteId, wordPressUser] = [Number(request.params.id), Number(body.user)];
      const origin = getAuditOrigin(request);
      const login = await wordPressLogin.create(user, siteId, wordPressUser, origin);
      return sendPage(reply, renderLoginPage(login));
    },
  );
};

function sendPage(reply: FastifyReply, { html, headers }: Page) {
  return reply.headers(headers).type('text/html; charset=utf-8').send(Buffer.from(html));
}
