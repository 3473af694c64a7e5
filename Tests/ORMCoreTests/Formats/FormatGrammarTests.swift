import Foundation
import ORMCore
import Testing

/// Formats and the trees they are, printed in the canonical form, which was worked out by hand.
@Suite("Predicate formats: the grammar")
struct FormatGrammarTests {
  static let comparisons: [(String, String)] = [
    ("price = 1", "price == 1.0"), ("price == 1", "price == 1.0"), ("price != 1", "price != 1.0"),
    ("price <> 1", "price != 1.0"), ("price < 1", "price < 1.0"), ("price <= 1", "price <= 1.0"),
    ("price =< 1", "price <= 1.0"), ("price > 1", "price > 1.0"), ("price >= 1", "price >= 1.0"),
    ("price => 1", "price >= 1.0"), ("1 < price", "1.0 < price"), ("id>3", "id > 3"),
    ("price > amount", "price > amount"),
    ("amount BETWEEN {1, 5}", "amount >= 1 AND amount <= 5"),
    ("price between {1, id}", "price >= 1.0 AND price <= id"),
    ("amount IN {1, 2, nil}", "amount IN {1, 2, nil}"),
    ("price IN {1, 2.5}", "price IN {1.0, 2.5}"),
    ("amount IN {}", "amount IN {}"), ("amount IN {id, 3}", "amount IN {id, 3}"),
    ("name IN[cd] {'a'}", "name IN[cd] {\"a\"}"), ("'hot' IN tags", "\"hot\" IN tags"),
    ("name IN tags", "name IN tags"), ("tags CONTAINS 'hot'", "\"hot\" IN tags"),
    ("tags CONTAINS[c] name", "name IN[c] tags"),
    ("{'a', 'b'} CONTAINS name", "name IN {\"a\", \"b\"}"),
    ("'a' IN name", "name CONTAINS \"a\""), ("name IN 'abc'", "\"abc\" CONTAINS name"),
    ("name CONTAINS 'a'", "name CONTAINS \"a\""), ("name BEGINSWITH 'a'", "name BEGINSWITH \"a\""),
    ("name endswith[n] 'a'", "name ENDSWITH[n] \"a\""),
    ("name LIKE 'a*\\?'", "name LIKE \"a*\\\\?\""),
    ("name MATCHES '\\d+\\n'", "name MATCHES \"\\\\d+\\n\""),
    ("name ==[c] 'a'", "name ==[c] \"a\""), ("name =[dc] taste", "name ==[cd] taste"),
    ("name CONTAINS [ndc] 'a'", "name CONTAINS[cdn] \"a\""), ("name <[C] 'b'", "name <[c] \"b\""),
    ("taste == nil", "taste == nil"), ("taste == NULL", "taste == nil"),
    ("taste != NIL", "taste != nil"),
    ("isHot == YES", "isHot == TRUE"), ("isHot == no", "isHot == FALSE"),
    ("isHot == 1", "isHot == TRUE"),
    ("isHot = true", "isHot == TRUE"), ("isHot", "isHot == TRUE"),
    ("NOT isHot", "NOT (isHot == TRUE)"),
    ("tags == {'a', 'b'}", "tags == {\"a\", \"b\"}"), ("SELF.price > 1", "price > 1.0"),
    ("self == 3", "id == 3"), ("SELF IN {1, 2}", "id IN {1, 2}"), ("#price > 1", "price > 1.0"),
    ("#'price' > 1", "price > 1.0"),
  ]

  static let logic: [(String, String)] = [
    ("TRUEPREDICATE", "TRUEPREDICATE"), ("falsepredicate", "FALSEPREDICATE"),
    ("id == 1 AND id == 2 OR id == 3", "id == 1 AND id == 2 OR id == 3"),
    ("id == 1 OR id == 2 && id == 3", "id == 1 OR id == 2 AND id == 3"),
    ("(id == 1 || id == 2) and id == 3", "(id == 1 OR id == 2) AND id == 3"),
    ("id == 1 AND (id == 2 AND id == 3)", "id == 1 AND (id == 2 AND id == 3)"),
    ("id == 1 AND id BETWEEN {2, 3}", "id == 1 AND id >= 2 AND id <= 3"),
    ("NOT id == 1 AND id == 2", "NOT (id == 1) AND id == 2"),
    ("!(id == 1 AND id == 2)", "NOT (id == 1 AND id == 2)"), ("! id == 1", "NOT (id == 1)"),
    ("NOT NOT id == 1", "NOT NOT (id == 1)"), ("((id == 1))", "id == 1"),
    ("(id) == (1)", "id == 1"), ("  id\n==\t1 ", "id == 1"),
  ]

  static let arithmetic: [(String, String)] = [
    ("id + 1 > 2", "(id + 1) > 2"), ("id + 2 * 3 == 7", "(id + (2 * 3)) == 7"),
    ("(id + 2) * 3 == 7", "((id + 2) * 3) == 7"), ("id - 1 - 2 == 0", "((id - 1) - 2) == 0"),
    ("id / 2 * 3 == 0", "((id / 2) * 3) == 0"), ("price * 2 > 3", "(price * 2.0) > 3.0"),
    ("2 ** 3 ** 2 == price", "(2.0 ** (3.0 ** 2.0)) == price"),
    ("-id == -3", "-(id) == -3"), ("-id ** 2 < 0", "-((id ** 2.0)) < 0.0"),
    ("-2 ** 2 == price", "-((2.0 ** 2.0)) == price"),
    ("(-2) ** 2 == price", "((-2.0) ** 2.0) == price"),
    ("id-1 == 0", "(id - 1) == 0"), ("id - -1 == 0", "(id - -1) == 0"), ("+id == 1", "id == 1"),
    ("2 * -id == 1", "(2 * -(id)) == 1"), ("(-id) ** 2 == price", "((-(id)) ** 2.0) == price"),
    ("abs(id) == 1", "abs(id) == 1"), ("abs:(id) == 1", "abs(id) == 1"),
    ("CEILING(price) > 1", "ceiling(price) > 1.0"),
    ("floor(price) == trunc(price)", "floor(price) == trunc(price)"),
    ("length(name) > 3", "length(name) > 3"), ("name.length > 3", "length(name) > 3"),
    ("uppercase:(name) == 'A'", "uppercase(name) == \"A\""),
    ("lowercase(taste) == name", "lowercase(taste) == name"),
    ("max(id, amount, 3) == 3", "max({id, amount, 3}) == 3"),
    ("sum({1, 2}) == id", "sum({1, 2}) == id"),
    ("average(id, 1) > 0.5", "average({id, 1}) > 0.5"), ("count(tags) == 1", "count(tags) == 1"),
    ("min(tags) == 'a'", "min(tags) == \"a\""),
  ]

  static let literals: [(String, String)] = [
    ("id == 0x1F", "id == 31"), ("id == 0o17", "id == 15"), ("id == 0b101", "id == 5"),
    ("id == 9223372036854775807", "id == 9223372036854775807"),
    ("id == -9223372036854775808", "id == -9223372036854775808"),
    ("id < 18446744073709551615", "id < 18446744073709551615"),
    ("id < 18446744073709551616", "id < 1.8446744073709552e+19"),
    ("price == 1.5e3", "price == 1500.0"), ("price == 1E-2", "price == 0.01"),
    ("price == .5", "price == 0.5"),
    ("price == -0.0", "price == -0.0"), ("id > 0.5", "id > 0.5"),
    (#"name == 'it\'s'"#, #"name == "it's""#), (#"name == "say \"x\"""#, #"name == "say \"x\"""#),
    (#"name == 'a\n\t\\'"#, #"name == "a\n\t\\""#),
    (#"name == '\u0041\u00e9'"#, "name == \"A\u{e9}\""),
    (#"name == '\uD83D\uDE00'"#, "name == \"\u{1F600}\""),
    (#"name == '\U0001F600'"#, "name == \"\u{1F600}\""),
    (#"name == '\u0000'"#, #"name == "\u0000""#), ("name == '%@ $x'", #"name == "%@ $x""#),
    ("name == '100%%'", #"name == "100%%""#), ("name == ''", #"name == """#),
    ("name == 'é日本'", #"name == "é日本""#),
  ]

  static let lists: [(String, String)] = [
    ("ANY tags == 'hot'", "\"hot\" IN tags"), ("SOME tags ==[c] 'hot'", "\"hot\" IN[c] tags"),
    ("NONE tags == 'hot'", "NOT (\"hot\" IN tags)"),
    ("ANY tags BEGINSWITH 'h'", "ANY tags BEGINSWITH \"h\""),
    ("ALL tags == 'hot'", "ALL tags == \"hot\""), ("NONE tags > name", "NONE tags > name"),
    ("ANY tags IN {'a', 'b'}", "ANY tags IN {\"a\", \"b\"}"),
    ("ANY tags BETWEEN {'a', 'b'}", "ANY SUBQUERY(tags, $s1, $s1 >= \"a\" AND $s1 <= \"b\")"),
    ("tags[0] == 'a'", "tags[0] == \"a\""), ("tags[FIRST] == 'a'", "tags[0] == \"a\""),
    ("tags[last] == 'a'", "tags[LAST] == \"a\""), ("tags[SIZE] == 2", "count(tags) == 2"),
    ("tags.@count == 2", "count(tags) == 2"), ("tags[-1] == nil", "tags[-1] == nil"),
    (
      "tags.@distinctUnionOfObjects.self.@count == 2",
      "SUBQUERY(tags, $s1, TRUEPREDICATE).@countDistinct == 2"
    ),
    ("tags.@max == 'a'", "max(tags) == \"a\""), ("tags.@min.self == 'a'", "min(tags) == \"a\""),
    (
      "SUBQUERY(tags, $t, $t BEGINSWITH 'h' AND length($t) > 3).@count > 1",
      "SUBQUERY(tags, $s1, $s1 BEGINSWITH \"h\" AND length($s1) > 3).@count > 1"
    ),
    ("ANY SUBQUERY(tags, $t, $t == name)", "ANY SUBQUERY(tags, $s1, $s1 == name)"),
    ("ANY {1, 2} > id", "ANY {1, 2} > id"),
  ]

  @Test("every spelling", arguments: [comparisons, logic, arithmetic, literals, lists])
  func spellings(_ table: [(String, String)]) throws {
    for (format, printed) in table {
      let filter = try Filter<Snack>(format: format)
      #expect(filter.formatString == printed, "\(format)")
      #expect(try Filter<Snack>(format: printed) == filter, "\(format)")
    }
  }

  @Test("values that have no literal of their own print as CASTs")
  func casts() throws {
    let date = Date(timeIntervalSinceReferenceDate: 631_152_000.25)
    let id = try #require(UUID(uuidString: "5E5A6E0C-8F3B-4E6C-9B1E-0123456789AB"))
    func check(_ condition: Condition, _ printed: String) throws {
      let filter = Filter<ByHand>(condition)
      #expect(filter.formatString == printed)
      #expect(try Filter<ByHand>(format: printed) == filter)
    }
    func equal(_ name: String, _ value: StoredValue) -> Condition {
      .compare(.attribute(name), .equal, .value(value), [])
    }
    try check(equal("date", .date(date)), #"date == CAST(631152000.25, "NSDate")"#)
    try check(
      equal("id", .uuid(id)), #"id == CAST("5E5A6E0C-8F3B-4E6C-9B1E-0123456789AB", "NSUUID")"#)
    try check(equal("data", .data(Data([0, 1, 255]))), #"data == CAST("AAH/", "NSData")"#)
    try check(
      equal("decimal", .decimal(try #require(Decimal(string: "0.1")))),
      #"decimal == CAST("0.1", "NSDecimalNumber")"#)
    try check(equal("double", .double(.infinity)), #"double == CAST("inf", "double")"#)
    try check(equal("uint64", .uint(.max)), "uint64 == 18446744073709551615")
    try check(
      .isIn(.attribute("date"), list: .value(.array([.date(date), .null])), []),
      #"date IN {CAST(631152000.25, "NSDate"), nil}"#)
    try check(.compare(.attribute("date"), .less, .now, []), "date < now()")
    try check(
      .compare(
        .attribute("date"), .less, .arithmetic(.subtract, .now, .value(.double(60))), []),
      "date < (now() - 60.0)")
  }

  @Test("constants are read in the type of their other side")
  func coercion() throws {
    func check(_ format: String, _ condition: Condition) throws {
      #expect(try Filter<ByHand>(format: format).condition == condition, "\(format)")
    }
    func equal(_ name: String, _ value: StoredValue) -> Condition {
      .compare(.attribute(name), .equal, .value(value), [])
    }
    try check("double == 3", equal("double", .double(3)))
    try check("decimal == 0.1", equal("decimal", .decimal(Decimal(string: "0.1") ?? 0)))
    try check("decimal == 3", equal("decimal", .decimal(3)))
    // The float nearest to 0.1 is 0.100000001490116…
    try check("float == 0.1", equal("float", .double(0.10000000149011612)))
    try check(
      "date == '2001-01-02'", equal("date", .date(Date(timeIntervalSinceReferenceDate: 86_400))))
    try check(
      "id == '01020304-0506-0708-090A-0B0C0D0E0F10'",
      equal(
        "id", .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))))
    try check("int8 == 3", equal("int8", .int(3)))
    // 63 digits are more than a decimal has.
    try check(
      "decimal == 122222222222222222222222222222222222222222222222222222222222225",
      equal("decimal", .decimal(Decimal(string: "1.2222222222222222E+62") ?? 0)))
    // A whole number that is no float stays one.
    try check("float == 1000000070169339", equal("float", .int(1_000_000_070_169_339)))
    try check("float == 1e300", equal("float", .double(1e300)))
    try check("doubles == {1, 2}", equal("doubles", .array([.double(1), .double(2)])))
    try check(
      "ANY doubles == 1",
      .isIn(.value(.double(1)), list: .attribute("doubles"), []))
    try check(
      "date + 60 == now()",
      .compare(
        .arithmetic(.add, .attribute("date"), .value(.double(60))), .equal, .now, []))
    try check(
      "decimal * 0.5 == 1",
      .compare(
        .arithmetic(
          .multiply, .attribute("decimal"), .value(.decimal(Decimal(string: "0.5") ?? 0))), .equal,
        .value(.decimal(1)), []))
  }

  @Test("1.7: paths into JSON")
  func json() throws {
    let table = [
      ("address.street == 'Main'", "address.street == \"Main\""),
      ("address.lines[0] > 1", "address.lines[0] > 1"),
      ("plain.b['x y'] == 2", "plain.b[\"x y\"] == 2"),
      ("address.lines[LAST] == 1", "address.lines[LAST] == 1"),
      ("address.lines[SIZE] == 1", "count(address.lines) == 1"),
      ("ANY address.lines == 0.1", "0.1 IN address.lines"),
      ("ANY address.lines > 0.1", "ANY address.lines > 0.1"),
      ("ANY words BEGINSWITH 'k'", "ANY words BEGINSWITH \"k\""),
      ("words[0] == 'kept'", "words[0] == \"kept\""),
      ("address.#in == 1", "address.in == 1"), ("address.lines.@sum > 3", "sum(address.lines) > 3"),
    ]
    for (format, printed) in table {
      let filter = try Filter<ByHand>(format: format)
      #expect(filter.formatString == printed)
      #expect(try Filter<ByHand>(format: printed) == filter)
    }
  }

  @Test("1.3: an attribute whose name has a dot is a path, without a struct to lie in")
  func dottedNames() throws {
    let filter = try Filter<Flat>(format: "address.city = 'Oslo' AND id > 1")
    #expect(filter.formatString == "address.city == \"Oslo\" AND id > 1")
    #expect(fault { _ = try Filter<Flat>(format: "adress.city == 'Oslo'") } != "")
  }
}

private struct Flat: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var city: String
  static let entity = Entity<Flat>("Flat") {
    .key("id", \.id)
      .attribute("address.city", \.city)
  }
}
