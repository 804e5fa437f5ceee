/** Only this feature writes these tables. */
export type ServiceTables = {
  services: {
    slug: string;
    name: string;
    description: string;
    version: string;
    category: string;
  };
};
