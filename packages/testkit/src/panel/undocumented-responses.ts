/** The differences between the responses of the panels of a test file and their API description. */
const findings = new Set<string>();

export const addUndocumentedResponse = (finding: string) => void findings.add(finding);
export const listUndocumentedResponses = () => [...findings];
export const clearUndocumentedResponses = () => findings.clear();
