export { accountRoutes } from './account.routes.ts';
export { createAccountService } from './account.service.ts';
export { createAuthProvider } from './auth-provider.ts';
export { createConfirmationService } from './confirmation.service.ts';
export { createCsrfTokens } from './csrf-tokens.ts';
export { createKnownDevices } from './known-devices.ts';
export { createOneTimeLinks } from './one-time-links.ts';
export { passkeyRoutes } from './passkeys.routes.ts';
export { createPasskeyService } from './passkeys.service.ts';
export { passwordResetRoutes } from './password-reset.routes.ts';
export { createPasswordResetService } from './password-reset.service.ts';
export { createPasswordThrottle } from './password-throttle.ts';
export { createPasswordService } from './passwords.service.ts';
export { generatePassword, type PasswordHashing, passwordHashing } from './passwords.ts';
export { secondFactorRoutes } from './second-factor.routes.ts';
export { createSecondFactorService } from './second-factor.service.ts';
export { sessionRoutes } from './sessions.routes.ts';
export { createSessionService, type SessionService } from './sessions.service.ts';
export { mustSetUpSecondFactor } from './settings.repository.ts';
export { settingsRoutes } from './settings.routes.ts';
export { createSettingsService } from './settings.service.ts';
export { setupRoutes } from './setup.routes.ts';
export { createSetupService } from './setup.service.ts';
export { createSignInService } from './sign-in.service.ts';
export { createSignInChallenges } from './sign-in-challenges.ts';
export {
  disableBotUsers,
  findPersonId,
  insertBotUser,
  lockUser,
} from './users.repository.ts';
export { userRoutes } from './users.routes.ts';
export {
  type CancelRunsOfUser,
  createUserService,
  type RevokeTokensOfUser,
  type UserService,
} from './users.service.ts';
