/** Functions of network addresses and URLs: all in JavaScript. */
import { callSql } from "../../sql/forms.ts";
import type { FunctionTable, PrintCall } from "../types.ts";

function udf(name: string): PrintCall {
  return ({ args }) => callSql(name, args);
}

export const netFunctions: FunctionTable = {
  "NET.HOST": udf("lw_net_host"),
  "NET.IPV4_FROM_INT64": udf("lw_net_ipv4_from_int64"),
  "NET.IPV4_TO_INT64": udf("lw_net_ipv4_to_int64"),
  "NET.IP_FROM_STRING": udf("lw_net_ip_from_string"),
  "NET.IP_NET_MASK": udf("lw_net_ip_net_mask"),
  "NET.IP_TO_STRING": udf("lw_net_ip_to_string"),
  "NET.IP_TRUNC": udf("lw_net_ip_trunc"),
  "NET.PUBLIC_SUFFIX": udf("lw_net_public_suffix"),
  "NET.REG_DOMAIN": udf("lw_net_reg_domain"),
  "NET.SAFE_IP_FROM_STRING": udf("lw_net_safe_ip_from_string"),
};
