import {
  ACCESS_TOKEN_DAYS_DEFAULT,
  ACCESS_TOKENS_MAX,
  type AccessTokenSummary,
  type AuditAction,
  type CreateAccessTokenRequest,
  type GrantedAccess,
  listTokenActions,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { generateAccessToken, hashToken } from '../../platform/secrets.ts';
import {
  disableBotUsers,
  insertBotUser,
  lockUser,
  type RevokeTokensOfUser,
  type UserService,
} from '../accounts/index.ts';
import type { AuditEntry, AuditService } from '../audit/index.ts';
import { deleteAllGrants, type GrantTarget, type SiteAccessService } from '../site-access/index.ts';
import {
  couldCreate,
  countTokens,
  findToken,
  insertToken,
  listTokens,
  revokeTokens,
  type TokenRow,
} from './access-tokens.repository.ts';

/** Personal access tokens. A token never has more rights than its user has at the time of the request. */
export type AccessTokenService = {
  /** Lists the tokens of a user that are not revoked. */
  list(userId: number): Promise<AccessTokenSummary[]>;
  /** Returns the secret, which the panel does not store. */
  create(
    userId: number,
    request: CreateAccessTokenRequest,
    origin: AuditOrigin,
  ): Promise<{ token: AccessTokenSummary; secret: string }>;
  revoke(userId: number, id: number, origin: AuditOrigin): Promise<void>;
  /** Throws `token_invalid` if the token is revoked. */
  show(id: number): Promise<AccessTokenSummary>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  users: Pick<UserService, 'assertExists'>;
  siteAccess: Pick<SiteAccessService, 'listOfBot' | 'grantToBot'>;
};

const DAY_MS = 24 * 60 * 60 * 1000;

export function createAccessTokenService(deps: Dependencies): AccessTokenService {
  const { db, clock, audit, users, siteAccess } = deps;

  return {
    async list(userId) {
      await users.assertExists(db, userId);
      const summaries: AccessTokenSummary[] = [];
      for (const token of await listTokens(db, userId)) summaries.push(await toSummary(token));
      return summaries;
    },

    async show(id) {
      const token = await findToken(db, id);
      if (!token) throw new AppError('token_invalid');
      return toSummary(token);
    },

    create: (userId, request, origin) =>
      db.transaction().execute(async (trx) => {
        const now = clock.now();
        // The lock keeps two requests from exceeding the limit, and the user from being disabled or demoted meanwhile.
        const creator = await lockUser(trx, userId);
        if (!creator || creator.disabled_at) throw new AppError('account_disabled');
        const name = parseName(request.name);
        assertActions(request);
        if ((await countTokens(trx, userId)) >= ACCESS_TOKENS_MAX) {
          throw new AppError('too_many_tokens');
        }
        const targets = request.access && toTargets(request.access);
        const secret = generateAccessToken();
        const botId = targets ? await createBot(trx, creator, { ...request, name }, now) : null;
        const token = await insertToken(trx, {
          user_id: userId,
          name,
          token_hash: Buffer.from(hashToken(secret), 'hex'),
          last_four: secret.slice(-4),
          role: request.role,
          actions: request.actions,
          bot_user_id: botId,
          created_at: now,
          expires_at: addDays(now, request.expires_in_days ?? ACCESS_TOKEN_DAYS_DEFAULT),
        });
        const access =
          targets && botId !== null
            ? await siteAccess.grantToBot(trx, creator, botId, targets)
            : null;
        if (!(await couldCreate(trx, token.id))) throw roleError(creator.role);
        await audit.record(trx, origin, buildCreationEntry(token, access));
        return { token: buildSummary(token, access, now), secret };
      }),

    revoke: (userId, id, origin) =>
      db.transaction().execute(async (trx) => {
        const revoked = await revokeAndRecord(trx, deps, { userId, id }, origin);
        if (revoked === 0) {
          throw new AppError('not_found', { message: `There is no access token with id ${id}.` });
        }
      }),
  };

  async function toSummary(token: TokenRow): Promise<AccessTokenSummary> {
    const { bot_user_id } = token;
    const access = bot_user_id === null ? null : await siteAccess.listOfBot(bot_user_id);
    return buildSummary(token, access, clock.now());
  }
}

type RevocationDependencies = Pick<Dependencies, 'clock' | 'audit'>;

/** `UserService` calls this when it disables a user. */
export function createTokenRevoker(deps: RevocationDependencies): RevokeTokensOfUser {
  return (trx, userId, origin) => revokeAndRecord(trx, deps, { userId }, origin);
}

async function revokeAndRecord(
  trx: Trx,
  { clock, audit }: RevocationDependencies,
  tokens: { userId: number; id?: number },
  origin: AuditOrigin,
): Promise<number> {
  const revoked = await revokeTokens(trx, tokens, clock.now());
  const botIds = revoked.flatMap(({ bot_user_id }) => bot_user_id ?? []);
  if (botIds.length > 0) {
    await disableBotUsers(trx, botIds, clock.now());
    // Without grants, the panel no longer counts software for these users.
    await deleteAllGrants(trx, botIds);
  }
  await audit.record(
    trx,
    origin,
    revoked.map((token) => buildEntry('revoke', token)),
  );
  return revoked.length;
}

function createBot(
  trx: Trx,
  creator: { id: number; name: string },
  { name, role }: Pick<CreateAccessTokenRequest, 'name' | 'role'>,
  now: Date,
): Promise<number> {
  if (role === 'owner') {
    throw invalidError('A token with the role owner has access to all sites. Choose manager.');
  }
  const bot = { name: `${creator.name} (token ${name})`, role, creatorId: creator.id };
  return insertBotUser(trx, bot, now);
}

function parseName(text: string): string {
  const name = text.trim();
  if (name !== '' && !/\p{Cc}/u.test(name)) return name;
  throw invalidError('name must not be empty or contain line breaks.');
}

function assertActions({ role, actions }: CreateAccessTokenRequest): void {
  const possible = listTokenActions(role);
  const impossible = actions.filter((action) => !possible.includes(action));
  if (impossible.length === 0) return;
  throw invalidError(`A token with the role ${role} cannot have the action ${impossible[0]}.`);
}

function toTargets({
  site_ids = [],
  license_ids = [],
  tags = [],
  client_ids = [],
}: NonNullable<CreateAccessTokenRequest['access']>): GrantTarget[] {
  const targets = [
    ...site_ids.map((siteId) => ({ siteId })),
    ...license_ids.map((licenseId) => ({ licenseId })),
    ...tags.map((tag) => ({ tag })),
    ...client_ids.map((clientId) => ({ clientId })),
  ];
  if (targets.length > 0) return targets;
  throw invalidError('access must contain at least one site, license, tag or client.');
}

function roleError(role: string): AppError {
  const message =
    role === 'owner'
      ? 'A token of an owner must have the role owner, or be limited to sites, licenses, tags or clients.'
      : 'The role of a token must not be higher than the role of its user.';
  return invalidError(message);
}

const invalidError = (message: string) => new AppError('invalid_request', { message });

const addDays = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS);

function buildSummary(
  { user_id: _user, bot_user_id: _bot, ...token }: TokenRow,
  access: GrantedAccess | null,
  now: Date,
): AccessTokenSummary {
  return {
    ...token,
    access,
    created_at: token.created_at.toISOString(),
    expires_at: token.expires_at.toISOString(),
    is_expired: token.expires_at <= now,
    last_used_at: token.last_used_at?.toISOString() ?? null,
  };
}

function buildCreationEntry(token: TokenRow, access: GrantedAccess | null): AuditEntry {
  const { role, actions, expires_at } = token;
  const limits = access && {
    sites: access.sites.map(({ site_id }) => site_id),
    licenses: access.licenses.map(({ license_id }) => license_id),
    tags: access.tags.map(({ tag }) => tag),
    clients: access.clients.map(({ client_id: id, name }) => ({ id, name })),
  };
  return buildEntry('create', token, {
    role,
    actions,
    expires_at: expires_at.toISOString(),
    ...(limits && { access: limits }),
  });
}

function buildEntry(
  action: AuditAction<'access_token'>,
  { id, user_id, name }: TokenRow,
  context: Record<string, unknown> = {},
): AuditEntry {
  return {
    action,
    entityType: 'access_token',
    entityId: id,
    context: { user_id, name, ...context },
  };
}
