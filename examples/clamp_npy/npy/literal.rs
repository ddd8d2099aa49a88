//! As much of Python's notation for values as a header can have.

use super::Result;

/// A value in a header.
pub enum Value<'a> {
    /// What stands between the quotes.
    Text(&'a str),
    Truth(bool),
    Number(u64),
    Tuple(Vec<Self>),
    /// The fields of a structure; nobody asks for them.
    List,
}

/// Structures may hold structures; no header of a file that is meant well goes deeper.
const DEEPEST: usize = 32;

/// The keys and values of a dictionary, and that nothing else follows.
pub fn dictionary(text: &str) -> Result<Vec<(&str, Value<'_>)>> {
    let mut parser = Parser { rest: text, depth: 0 };
    let mut entries = Vec::new();
    parser.expect('{')?;
    while !parser.next_is('}') {
        let Value::Text(key) = parser.value()? else { return Err("a key is not a string".into()) };
        parser.expect(':')?;
        entries.push((key, parser.value()?));
        if !parser.next_is(',') {
            parser.expect('}')?;
            break;
        }
    }
    parser.skip_blanks();
    if parser.rest.is_empty() { Ok(entries) } else { Err(parser.unexpected("the end")) }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self) -> Result<Value<'a>> {
        self.skip_blanks();
        let (word, rest) =
            self.rest.split_at(self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len()));
        match word {
            "True" | "False" => {
                self.rest = rest;
                Ok(Value::Truth(word == "True"))
            }
            "" => match self.rest.chars().next() {
                Some(quote @ ('\'' | '"')) => self.text(quote),
                Some('(') => self.tuple(),
                Some('[') => self.items('[', ']').map(|_| Value::List),
                _ => Err(self.unexpected("a value")),
            },
            _ => {
                // Python 2 ended long integers with L.
                let digits = word.strip_suffix('L').unwrap_or(word);
                let number = digits.parse().ok().filter(|n: &u64| n.to_string() == digits);
                let number = number.ok_or_else(|| self.unexpected("an integer"))?;
                self.rest = rest;
                Ok(Value::Number(number))
            }
        }
    }

    fn text(&mut self, quote: char) -> Result<Value<'a>> {
        let text = &self.rest[1..];
        let mut escaped = false;
        let end = text.find(|c: char| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.ok_or_else(|| self.unexpected("a string that ends"))?;
        self.rest = &text[end + 1..];
        Ok(Value::Text(&text[..end]))
    }

    /// `(3)` is a number in parentheses, `(3,)` a tuple.
    fn tuple(&mut self) -> Result<Value<'a>> {
        let (mut items, comma) = self.items('(', ')')?;
        match items.len() {
            1 if !comma => Ok(items.remove(0)),
            _ => Ok(Value::Tuple(items)),
        }
    }

    /// And whether a comma follows the last.
    fn items(&mut self, open: char, close: char) -> Result<(Vec<Value<'a>>, bool)> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("its parentheses are nested too deeply".into());
        }
        self.expect(open)?;
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.next_is(close) {
            items.push(self.value()?);
            comma = self.next_is(',');
            if !comma {
                self.expect(close)?;
                break;
            }
        }
        self.depth -= 1;
        Ok((items, comma))
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
    }

    /// Takes `c` if it comes next.
    fn next_is(&mut self, c: char) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.next_is(c) { Ok(()) } else { Err(self.unexpected(&format!("'{c}'"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<dyn std::error::Error + Send + Sync> {
        let found: String = self.rest.trim_end().chars().take(20).collect();
        match found.as_str() {
            "" => format!("its header ends where {expected} is expected").into(),
            _ => format!("its header has {found:?} where {expected} is expected").into(),
        }
    }
}
