import { RoutingNode } from 'n8n-core';
import {
	NodeConnectionTypes,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type IDataObject,
	type INodeCredentialTestResult,
	type INodeType,
} from 'n8n-workflow';
import { NodeEngine } from './nodeEngine';

type Rule = NonNullable<ICredentialTestRequest['rules']>[number];

interface RequestError extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

/** n8n tests a credential by a node that does nothing but send the test's request. */
function requestNode(credentialType: string, { request }: ICredentialTestRequest): INodeType {
	return {
		description: {
			displayName: 'Request',
			name: 'request',
			group: ['output'],
			version: 1,
			description: "Sends the credential test's request",
			defaults: { name: 'Request' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: credentialType, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
}

const failed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

function messageOfFailure({ message, cause }: RequestError, rules: Rule[]): string {
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	const rule = rules.find(
		({ properties }) => !('key' in properties) && properties.value === status,
	);
	return rule?.properties.message ?? (statusText || `Received HTTP status code: ${status}`);
}

/** What the user reads after Save or Retry in the credential window. */
export async function testCredential(
	type: ICredentialType,
	data: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	if (!type.test) return failed('No testing function found for this credential.');
	const { rules = [] } = type.test;
	const node = requestNode(type.name, type.test);
	const context = new NodeEngine(node, type).executeContext({
		credential: data,
		executionMode: 'internal',
	});

	try {
		const resolved = await context.getCredentials<ICredentialDataDecryptedObject>(type.name, 0);
		const routing = new RoutingNode(context, node, {
			id: '',
			name: 'Credential',
			type: type.name,
			data: resolved,
		});
		const [[item]] = (await routing.runNode()) ?? [[{ json: {} }]];
		const answer: IDataObject = item.json;
		const rule = rules.find(
			({ properties }) => 'key' in properties && answer[properties.key] === properties.value,
		);
		return rule
			? failed(rule.properties.message)
			: { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return failed(messageOfFailure(error as RequestError, rules));
	}
}
