import ORMCore
import Testing

@Suite("Predicate formats: errors say where, what was found and what was expected")
struct FormatErrorTests {
  /// The format, where the error is, and a piece of what it says.
  static let table: [(String, String, String)] = [
    ("", "offset 0", "found the end, expected a value or a condition"),
    ("price >", "offset 7", "found the end, expected a value"),
    ("price > 1 AND", "offset 13", "found the end"),
    (
      "price > 1 name == 'a'", "line 1, column 11 (offset 10)",
      "found name, expected AND, OR or the end"
    ),
    (
      "price >> 1 == 1", "offset 0",
      "price is a number and 1 is an integer: >> cannot be applied to them"
    ),
    ("name % 2 == 1", "offset 0", "% cannot be applied to them"),
    ("~price == 1", "offset 1", "~ takes an integer; price is a number"),
    ("id >>> 1 == 1", "offset 5", "found >, expected a value"),
    (
      "name == Chips", "offset 8",
      "Snack has no attribute or relationship Chips; a text stands in quotes: 'Chips'"
    ),
    ("(price > 1", "offset 10", "found the end, expected )"),
    ("price > 1)", "offset 9", "found ), expected AND, OR or the end"),
    ("price\n  > 'a'", "line 2, column 5 (offset 10)", "'a' is text"),
    ("prise > 1", "offset 0", "Snack has no attribute or relationship prise; did you mean price?"),
    ("id == 1 AND tgas == 'a'", "offset 12", "did you mean tags?"),
    ("nonsense > 1", "offset 0", "Snack has no attribute or relationship nonsense"),
    ("name.first == 1", "offset 5", "text has no first"),
    ("price > 1 & id == 1", "offset 0", "expected a value; price > 1 & id is a condition"),
    ("name == 'a", "offset 8", "the text that begins here has no closing quote"),
    ("name == “a”", "offset 8", "has no attribute"),
    (
      "price == 12abc", "offset 9",
      "a letter follows the number; put a space or an operator between them"
    ),
    ("price == 1e999", "offset 9", "too large for a double"),
    ("id == 0x1FFFFFFFFFFFFFFFF", "offset 6", "does not fit 64 bits"),
    ("id == 0b12", "offset 9", "not a digit in base 2"),
    ("name == '\\uD800'", "offset 9", "no character"),
    ("name == '\\u12'", "offset 9", "4 hexadecimal digits"),
    ("price CONTAINS 'a'", "offset 0", "CONTAINS needs text; price is a number"),
    ("name LIKE 3", "offset 10", "LIKE needs text; 3 is an integer"),
    ("name > 3", "offset 7", "name is text and 3 is an integer, which cannot be compared"),
    ("tags == 'hot'", "offset 8", "write ANY to compare the elements of a list"),
    ("tags > 'hot'", "offset 7", "cannot be compared"),
    ("tags < tags", "offset 0", "a list cannot be ordered"),
    ("id IN 3", "offset 6", "expected a list; 3 is an integer"),
    ("id IN {'a'}", "offset 6", "cannot be compared"),
    ("id IN {1, 'a'}", "offset 10", "cannot be compared"),
    ("id ==[c] 3", "offset 0", "the options [c] apply only to text"),
    ("name ==[x] 'a'", "offset 8", "'x' is not an option"),
    ("name ==[] 'a'", "offset 8", "found ], expected c, d or n"),
    ("id BETWEEN {1}", "offset 11", "BETWEEN takes a list of two values"),
    ("id BETWEEN 3", "offset 11", "BETWEEN takes a list of two values"),
    ("id", "offset 0", "expected a condition, found id"),
    ("3", "offset 0", "expected a condition, found 3"),
    ("id AND id == 1", "offset 0", "expected a condition, found id"),
    ("(id == 1) == 1", "offset 0", "expected a value; (id == 1) is a condition"),
    ("id == NOT id == 1", "offset 6", "is a condition"),
    ("name + 1 == 2", "offset 0", "name is text and 1 is an integer: + cannot be applied to them"),
    ("-name == 'a'", "offset 1", "only numbers can be negated"),
    ("abs(name) == 1", "offset 4", "abs() takes a number; name is text"),
    ("length(id) == 1", "offset 7", "length() takes text"),
    ("abs(id, 1) == 1", "offset 0", "takes one value"),
    (
      "cbrt(price) > 1", "offset 0",
      "there is no function cbrt that a format can call; it can call abs, add:to, average"
    ),
    ("modulus:bye:(id, 2) == 1", "offset 0", "did you mean modulus:by?"),
    ("modulus:by:(id) == 1", "offset 0", "takes two values"),
    ("year(name) == 1", "offset 5", "year() takes a date; name is text"),
    ("year('2001-01-01', 'Nowhere') == 1", "offset 19", "there is no time zone Nowhere"),
    ("year('2001-01-01', id) == 1", "offset 19", "a time zone is a text in quotes; found id"),
    ("TERNARY(id, 1, 2) == 1", "offset 8", "expected a condition, found id"),
    ("TERNARY(id > 1, 1, 'a') == 1", "offset 19", "cannot be compared"),
    ("uppercas(name) == 'a'", "offset 0", "did you mean uppercase?"),
    ("now(1) > 2", "offset 0", "now() takes nothing"),
    (
      "FUNCTION(name, 'x') == 1", "offset 0", "there is no function FUNCTION that a format can call"
    ),
    ("sum() == 1", "offset 0", "sum() takes a list"),
    ("sum(id) == 1", "offset 4", "expected a list"),
    ("tags.@medium == 1", "offset 5", "there is no @medium"),
    ("tags.@cuont == 1", "offset 5", "did you mean count?"),
    ("sum(tags) == 1", "offset 0", "only numbers can be summed"),
    ("tags['x'] == 1", "offset 4", "only JSON has named members"),
    ("name[0] == 'a'", "offset 0", "expected a list; name is text"),
    ("tags[x] == 'a'", "offset 5", "found x, expected a position, FIRST, LAST or SIZE"),
    ("ANY name == 'a'", "offset 4", "name is neither"),
    ("ANY tags >", "offset 10", "found the end"),
    ("ALL tags", "offset 8", "found the end, expected an operator"),
    ("$ == 1", "offset 1", "expected a name after $"),
    ("# == 1", "offset 1", "expected a name after #"),
    ("CAST('x', 'NSUUID') == 1", "offset 5", "the literal does not read as NSUUID"),
    ("CAST('x', 'NSUID') == 1", "offset 10", "did you mean NSUUID?"),
    ("CAST(tags, 'NSDate') == 1", "offset 5", "takes a value that can be cast; tags is a list"),
    ("name == in", "offset 8", "found in, expected a value or a condition"),
    ("id == 1; DROP", "offset 7", "; has no meaning here"),
    (
      "SUBQUERY(name, $x, TRUEPREDICATE).@count > 1", "offset 9",
      "an aggregate needs a to-many or a list"
    ),
    (
      "SUBQUERY(tags, x, TRUEPREDICATE).@count > 1", "offset 15",
      "found x, expected a variable such as $x"
    ),
    ("SUBQUERY(tags, $x, 3).@count > 1", "offset 19", "expected a condition"),
  ]

  @Test("tables of wrong formats", arguments: table)
  func errors(_ format: String, _ place: String, _ message: String) {
    do {
      let filter = try Filter<Snack>(format: format)
      Issue.record("\(format) was read as \(filter)")
    } catch let error as StoreError {
      #expect(error.message.contains(place), "\(format): \(error)")
      #expect(error.message.contains(message), "\(format): \(error)")
      #expect(error.entity == "Snack")
    } catch {
      Issue.record("\(format): \(error)")
    }
  }

  static let related: [(String, String, String)] = [
    ("players.age > 30", "offset 0", "players.age is a to-many: write ANY, ALL or NONE"),
    ("players", "offset 0", "expected a condition; ANY players is true if there is one"),
    ("ANY coach.name == 'a'", "offset 4", "ANY, ALL and NONE need a to-many or a list"),
    (
      "ANY players.aeg > 1", "offset 12",
      "Player has no attribute or relationship aeg; did you mean age?"
    ),
    ("coach > 3", "offset 0", "objects can be compared only with == and !="),
    ("coach == 3", "offset 9", "cannot be compared"),
    ("coach == name", "offset 9", "cannot be compared"),
    ("coach + 1 == 2", "offset 0", "coach is an object"),
    ("players[0] == 1", "offset 7", "a to-many cannot be indexed"),
    ("leagues.@sum.country > 1", "offset 8", "only numbers can be summed"),
    ("players.@sum > 1", "offset 8", "name the attribute of each element to aggregate"),
    ("ANY leagues == 3", "offset 4", "the key of League has several attributes"),
    ("coach == SELF", "offset 9", "Coach and Team are never the same object"),
    (
      "SUBQUERY(players, $p, $p.age > 1).team.players.@count > 1", "offset 39",
      "no to-many can follow"
    ),
    ("ANY players.age > players.age", "offset 18", "is a to-many"),
    ("ANY players.age", "offset 15", "expected an operator; players.age is not a truth value"),
    ("NONE players.team.name", "offset 22", "players.team.name is not a truth value"),
    ("ALL players", "offset 11", "expected an operator"),
  ]

  @Test("tables of wrong formats through relationships", arguments: related)
  func errors(related format: String, _ place: String, _ message: String) {
    do {
      let filter = try Filter<Team>(format: format)
      Issue.record("\(format) was read as \(filter)")
    } catch {
      #expect("\(error)".contains(place), "\(format): \(error)")
      #expect("\(error)".contains(message), "\(format): \(error)")
    }
  }

  @Test("7.1: depth, length and lists are limited")
  func limits() throws {
    func code(_ format: String) -> String { fault { _ = try Filter<Snack>(format: format) } }
    func nested(_ before: String, _ after: String, _ count: Int, _ middle: String = "id == 1")
      -> String
    {
      String(repeating: before, count: count) + middle + String(repeating: after, count: count)
    }
    for (before, after) in [
      ("(", ")"), ("NOT ", ""), ("NOT (", ")"), ("!", ""), ("id == 1 AND (id == 2 OR (", "))"),
    ] {
      #expect(code(nested(before, after, 100_000)) == "tooComplex Snack", "\(before)")
      #expect(code(nested(before, after, 90)) == "nothing thrown", "\(before)")
    }
    for (before, after) in [
      ("(", ")"), ("-", ""), ("- -", ""), ("abs(", ")"), ("1 + (", ")"), ("2 ** ", ""),
      ("1 + ", ""), ("max(1, ", ")"),
    ] {
      #expect(
        code("id == " + nested(before, after, 100_000, "id")) == "tooComplex Snack", "\(before)")
      #expect(code("id == " + nested(before, after, 60, "id")) == "nothing thrown", "\(before)")
    }
    #expect(code("id == " + nested("{", "}", 100_000, "")) == "tooComplex Snack")
    #expect(code("tags" + nested("[0]", "", 100_000, "") + " == 1") == "invalidCondition Snack")
    let long = Array(repeating: "id == 1", count: 20_000)
    #expect(code(long.joined(separator: " AND ")) == "nothing thrown")
    #expect(code(long.joined(separator: " OR ")) == "nothing thrown")
    #expect(code("name == '" + String(repeating: "a", count: 1 << 20) + "'") == "tooComplex Snack")
    #expect(
      code("name == '" + String(repeating: "a", count: (1 << 20) - 10) + "'") == "nothing thrown")
    func list(_ count: Int) -> String {
      "id IN {" + Array(repeating: "1", count: count).joined(separator: ",") + "}"
    }
    #expect(code(list(100_000)) == "nothing thrown")
    #expect(code(list(100_001)) == "tooComplex Snack")
    #expect(
      fault { _ = try Filter<Snack>(format: "id IN %@", Array(repeating: 1, count: 100_001)) }
        == "tooComplex Snack")
  }
}
