import { DocumentExtractionApi } from '../../credentials/DocumentExtractionApi.credentials';
import { accountOf, type Account, type Use } from '../../nodes/DocumentExtraction/account/account';
import type { DocumentExtractionCredential } from '../../nodes/DocumentExtraction/account/credential';
import { DocumentExtraction } from '../../nodes/DocumentExtraction/DocumentExtraction.node.ts';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { testCredential } from './credentialTest';
import { NodeEngine, type ContextOptions, type LoadOptions, type RunOptions } from './nodeEngine';

type Credential = Parameters<typeof testCredential>[1];

const engine = new NodeEngine(new DocumentExtraction(), new DocumentExtractionApi());

/** Runs Document Extraction as a workflow does. */
export const runNode = async (options: RunOptions) => await engine.runNode(options);

/** The node as n8n lists it a second time, for agents. */
export function asTool() {
	const node = new DocumentExtraction();
	node.description = { ...node.description, name: 'documentExtractionTool' };
	return new NodeEngine(node, new DocumentExtractionApi());
}

/** For calling one of the node's parts alone. */
export const executeContext = (options: ContextOptions) => engine.executeContext(options);

/** For calling a dropdown's method. */
export const loadOptionsContext = (options: LoadOptions) => engine.loadOptionsContext(options);

/** Presses the test button of the credential window. */
export const testDocumentExtractionApi = async (credential: Credential) =>
	await testCredential(new DocumentExtractionApi(), credential);

/** What operations use API Details for, by the ways to use each; none where the interface shows all. */
const USES: Record<string, Array<(account: Account) => Array<Use<unknown>>>> = {
	'extraction.extractFromFiles': [
		({ directUpload, waiting }) => [directUpload, waiting],
		({ uploadUrl, confirmation }) => [uploadUrl, confirmation],
	],
	'document.upload': [
		({ directUpload }) => [directUpload],
		({ uploadUrl, confirmation }) => [uploadUrl, confirmation],
	],
	'document.createUploadUrl': [({ uploadUrl }) => [uploadUrl]],
	'document.confirmUpload': [({ confirmation }) => [confirmation]],
	'workflow.get': [({ details }) => [details.workflowEndpoint]],
	'workflow.waitUntilExtracted': [({ details }) => [details.workflowEndpoint]],
};

/** Whether a credential holds the API Details for one of the ways to use an operation. */
export function isSetUp(
	{ resource, operation }: INodeParameters,
	credential: ICredentialDataDecryptedObject,
): boolean {
	const ways = USES[`${String(resource)}.${String(operation)}`];
	const account = accountOf(credential as DocumentExtractionCredential);
	return !ways || ways.some((uses) => uses(account).every((use) => 'ready' in use));
}
