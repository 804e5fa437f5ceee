/**
 * All events that the panel records: an action on a type of entity. A record of another event does not compile, and each event
 * has a sentence on the screens.
 */
export const AUDIT_ACTIONS = {
  remote_update: ['update', 'install', 'restore', 'self_update'],
  remote_plugin: ['update', 'activate', 'deactivate', 'delete'],
  remote_site: ['sync'],
  package: ['upload'],
  update_rule: ['create', 'change', 'delete', 'restore_by_rule'],
  quarantined_version: ['quarantine', 'lift'],
  run: ['create', 'cancel'],
  schedule: ['create', 'update', 'delete'],
  rollout: [
    'create',
    'split',
    'halt',
    'resume',
    'choose_canaries',
    'continue_without_proof',
    'end_soak',
    'cancel',
    'finish',
  ],
  site: [
    'approve_endpoint',
    'set_web_login',
    'remove_web_login',
    'set_checked_pages',
    'log_in',
    'roll_back_plugin',
    'raise_alarm',
    'dismiss_alarm',
    'archive',
    'unarchive',
    'tag',
    'rename',
    'set_note',
    'set_client',
  ],
  client: ['create', 'update', 'archive', 'restore', 'set_logo', 'remove_logo'],
  activation: [
    'activate',
    'deactivate',
    'change_address',
    'enrol_again',
    'prove_address',
    'replace_site_key',
    'accept_unsigned_calls',
    'require_signed_calls',
    'refuse_changes',
  ],
  license: [
    'create',
    'rename',
    'suspend',
    'resume',
    'revoke',
    'extend',
    'set_limit',
    'rotate_key',
    'end_old_key',
    'create_enrolment_codes',
    'revoke_enrolment_code',
    'refuse_new_sites',
    'reveal_key',
    'repair_usage',
  ],
  plan: ['create'],
  signing_key: ['rotate', 'retire'],
  user: [
    'create',
    'update',
    'disable',
    'enable',
    'issue_password_link',
    'mail_reset_link',
    'set_password',
    'begin_totp',
    'add_totp',
    'remove_totp',
    'make_backup_codes',
    'add_passkey',
    'rename_passkey',
    'remove_passkey',
    'reset_second_factor',
    'refuse_code',
    'refuse_password',
    'refuse_password_change',
  ],
  access: ['grant', 'revoke'],
  sign_in: ['succeed', 'ask_second_factor', 'fail', 'throttle'],
  session: ['confirm', 'end', 'end_others'],
  access_token: ['create', 'revoke'],
  setup_link: ['issue'],
  notification_channel: ['create', 'update', 'delete', 'reveal_secret', 'disable'],
  setting: ['require', 'stop_requiring'],
  audit_log: ['accept_head', 'detach'],
  backup: ['create', 'download', 'fail', 'restore'],
} as const;

export type AuditEntityType = keyof typeof AUDIT_ACTIONS;
export type AuditAction<Type extends AuditEntityType = AuditEntityType> =
  (typeof AUDIT_ACTIONS)[Type][number];
/** Such as `license.suspend`. */
export type AuditEvent = {
  [Type in AuditEntityType]: `${Type}.${AuditAction<Type>}`;
}[AuditEntityType];

/** The field of the context with the name of an entity: these can be deleted, or have no row of their own. */
export const AUDIT_NAME_KEYS = {
  package: 'name',
  update_rule: 'rule',
  quarantined_version: 'name',
  schedule: 'name',
  rollout: 'name',
  plan: 'slug',
  client: 'name',
  access_token: 'name',
  notification_channel: 'name',
} as const satisfies Partial<Record<AuditEntityType, string>>;

/** Entities with a name of their own, which the panel looks up. */
export const AUDIT_NAMED_TYPES = [
  'user',
  'site',
  'license',
  'schedule',
  'update_rule',
  'notification_channel',
] as const;
export type AuditNamedType = (typeof AUDIT_NAMED_TYPES)[number];

/** The type of the entity that `entity_id` identifies. The name of another type is in the context, or its id is its name. */
const NAMED_BY: Partial<Record<string, AuditNamedType>> = {
  user: 'user',
  access: 'user',
  sign_in: 'user',
  site: 'site',
  activation: 'site',
  remote_update: 'site',
  remote_site: 'site',
  license: 'license',
  schedule: 'schedule',
  update_rule: 'update_rule',
  notification_channel: 'notification_channel',
} satisfies Partial<Record<AuditEntityType, AuditNamedType>>;

type NamedRecord = {
  actor: string;
  entity_type: string;
  entity_id: string;
  site_id: number | null;
  context: Record<string, unknown>;
};

/** Lists the entities that a record refers to, by type and id. */
export function listAuditReferences(record: NamedRecord): { type: AuditNamedType; id: number }[] {
  const { actor, entity_type, entity_id, site_id, context } = record;
  const own = NAMED_BY[entity_type];
  const references: [AuditNamedType, unknown][] = [
    ['user', actor],
    ['user', context.user_id],
    ['site', site_id],
    ['license', context.license_id],
    ...(own ? ([[own, entity_id]] as [AuditNamedType, unknown][]) : []),
  ];
  return references.flatMap(([type, id]) =>
    /^[1-9]\d{0,14}$/.test(String(id ?? '')) ? [{ type, id: Number(id) }] : [],
  );
}

/** The name of the entity of a record: as recorded, or else its present name. Null: its id is its name. */
export function findAuditEntityName(
  { entity_type, entity_id, context }: NamedRecord,
  findName: (type: AuditNamedType, id: number) => string | null | undefined,
): string | null {
  const key: string | undefined = (AUDIT_NAME_KEYS as Partial<Record<string, string>>)[entity_type];
  const recorded = key === undefined ? undefined : context[key];
  if (typeof recorded === 'string' && recorded !== '') return recorded;
  const type = NAMED_BY[entity_type];
  return (type && findName(type, Number(entity_id))) ?? null;
}
