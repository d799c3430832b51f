"use strict";

// The key has become a cookie: go on to the page, without the key in the address, and with the state after the #.

const rest = new URLSearchParams(location.search);
rest.delete("token");
const query = rest.toString();
location.replace(`/${query ? `?${query}` : ""}${location.hash}`);
