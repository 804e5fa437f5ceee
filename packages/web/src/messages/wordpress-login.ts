/** The log-in to the dashboard of a WordPress site. */
export const wordPressLoginMessages = {
  open: 'Log in to WordPress',
  title: 'Log in to WordPress',
  user: 'Log in as',
  note: 'The dashboard opens in a new tab. The site tells its administrator about the log-in by e-mail.',
  submit: (login: string) => `Log in as ${login}`,
  userWithRole: (name: string, role: string) => `${name} – ${role}`,
  notAllowed: 'This site does not allow log-in from Steward yet.',
  howToAllow:
    'In the WordPress admin, open Settings → Steward. Under “Log-in from the panel”, choose the users and turn it on. If the section is missing, update the Steward plugin.',
  openSettings: 'Open the settings of the plugin',
  noUsers:
    'None of the chosen users can be used now: their roles have changed. In the WordPress admin, choose them again under Settings → Steward.',
} as const;
