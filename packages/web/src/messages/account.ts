import { count } from '../lib/format.ts';

export const accountMessages = {
  title: 'Your account',
  whatStewardIs: 'Updates, health and licenses of all your WordPress sites, on your own server.',
  password: 'Password',
  secondFactor: 'Second factor',
  sessions: 'Active sessions',
  signOut: 'Sign out',
  email: 'E-mail',
  name: 'Name',
  usePasskey: 'Use a passkey',
  passkeyCancelled: 'No passkey was used. Try again, or use another method.',

  client: {
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    script: 'API or script',
    unknown: 'Unknown browser',
  },

  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    forgotLink: 'Forgot your password?',
    forgotPassword:
      'Forgot your password? An owner can send you a link to set a new one. On the server, npx steward user reset-password sets one.',
  },
  forgotPassword: {
    title: 'Set a new password',
    note: 'Enter the e-mail address of your account. Steward sends you a link to choose a new password.',
    submit: 'Send link',
    sent: (email: string) =>
      `If ${email} has an account, a link is on its way. It works once, within one hour.`,
    next: 'No e-mail after a few minutes? Look in your spam folder, or ask an owner for a link.',
    unavailable:
      'This panel cannot send e-mail. An owner can give you a link to set a new password. On the server, npx steward user reset-password sets one.',
    back: 'Back to sign-in',
  },
  secondStep: {
    title: 'Second factor',
    enterCode: 'Enter the one-time code from your authenticator app, or a backup code.',
    usePasskey: 'Use the passkey of your account.',
    startOver: 'Start over',
    lostDevice:
      'Lost your device and your backup codes? Ask an owner of this panel to run this on its server: npx steward user reset-2fa YOUR-E-MAIL',
  },

  setup: {
    title: 'Set up your panel',
    note: 'This account becomes the owner of the panel. You can invite other users later.',
    submit: 'Create account',
    completeTitle: 'Setup is already complete',
    completeNote: 'If you have no account yet, ask an owner to invite you.',
    pendingTitle: 'Setup is not complete',
    pending:
      'Steward printed a setup link in its terminal or log when it started. Open that link to create the first owner. The link works ' +
      'once and expires after one day. Restart Steward to get a new link.',
  },
  setPassword: {
    title: 'Choose a password',
    note: 'You sign in with your e-mail address and this password.',
    submit: 'Set password',
    done: 'Password set. Sign in with it.',
  },
  profile: {
    title: 'Profile',
    emailHint: 'You sign in with this address.',
    submit: 'Save changes',
    saved: 'Changes saved.',
    emailSaved: (email: string) => `Changes saved. From now on, sign in with ${email}.`,
  },
  changePassword: {
    current: 'Current password',
    new: 'New password',
    endOtherSessions: 'Sign out everywhere else',
    submit: 'Change password',
    done: 'Password changed.',
  },

  requirement: {
    title: 'This panel requires a second factor',
    description: 'Set up an authenticator app or add a passkey to open the other pages.',
  },
  authenticatorApp: {
    title: 'Authenticator app',
    on: 'On',
    description: 'After your password, you enter a one-time code from your phone.',
    setUp: 'Set up app',
    remove: 'Remove app',
    removeTitle: 'Remove authenticator app',
    removeEffect:
      'One-time codes from this app stop working. If you have no passkey, your backup codes stop working too.',
    removed: 'Authenticator app removed.',
  },
  totpDialog: {
    title: 'Set up an authenticator app',
    instructions: 'Scan this QR code with your app, or enter the key manually.',
    qrCode: 'QR code for your authenticator app',
    key: 'Key for your authenticator app',
    code: 'Code from the app',
    submit: 'Turn on',
  },
  backupCodes: {
    title: 'Backup codes',
    left: (codes: number) =>
      `${count(codes, 'code')} left. Use one when you cannot use your app or passkey.`,
    replaceTitle: 'Create new backup codes?',
    replaceEffect: (codes: number) =>
      `${codes === 0 ? 'You get new codes.' : `You get new codes. The ${count(codes, 'code')} that you have now ${codes === 1 ? 'stops' : 'stop'} working.`}`,
    create: 'Create new codes',
    dialogTitle: 'Your backup codes',
    instructions:
      'Store these codes in a safe place, not on the device with your second factor. If you lose that device, ' +
      'sign in with your password and one of these codes. Each code works once. They are shown only once.',
    all: 'All backup codes',
    stored: 'I have stored them',
  },
  passkeys: {
    title: 'Passkeys',
    description: 'Sign in with your fingerprint, your face, a PIN or a security key.',
    needsHttps: 'To use passkeys, open the panel over HTTPS in a browser that supports them.',
    add: 'Add passkey',
    /** The time follows. */
    added: 'Added',
    /** The time follows. */
    lastUsed: ', last used',
    rename: 'Rename',
    renameOne: (name: string) => `Rename ${name}`,
    renameSubmit: 'Rename passkey',
    remove: 'Remove',
    removeOne: (name: string) => `Remove ${name}`,
    removeSubmit: 'Remove passkey',
    removeEffect: 'You can no longer sign in with this passkey. Also delete it on your device.',
    removed: 'Passkey removed.',
    nameHint: 'For example, the name of your device.',
  },
  code: 'Code',

  sessionList: {
    current: (name: string) => `${name} (this session)`,
    unknownAddress: 'Unknown IP address',
    /** The time follows. */
    signedIn: (address: string) => `${address}, signed in`,
    end: 'Sign out',
    endOne: (name: string) => `Sign out ${name}`,
    endOthers: 'Sign out everywhere else',
    othersEnded: 'Signed out of all other sessions.',
  },

  confirmation: {
    title: 'Confirm your identity',
    note: (minutes: number) =>
      `This action needs a confirmation that it is you. After that, Steward does not ask again for ${minutes} minutes.`,
    passkeyElsewhere:
      'This browser cannot use your passkey here. Open the panel over HTTPS in a browser that has your passkey.',
    password: 'Your password',
    wrongPassword: 'Wrong password.',
    code: 'One-time code or backup code',
    wrongCode: 'This code is wrong or was already used.',
    submit: 'Confirm',
  },
} as const;
