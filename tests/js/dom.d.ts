// What an address in a page finds is decided by its template, so look-ups are untyped here;
// what the scripts pass among themselves is checked.

interface Document {
  getElementById(id: string): any;
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
  activeElement: any;
}
interface Element {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface EventTarget {
  closest?: any;
  value?: any;
  name?: any;
  form?: any;
  matches?: any;
  method?: any;
}
