import Foundation
import ORMCore
import Testing

@Suite("One tree: every front end asks the same in the same words")
struct FrontEndTests {
  private func same(
    _ format: FilterFormat, _ queries: Query<Snack>..., location: SourceLocation = #_sourceLocation
  ) {
    let wanted = Snack.all.where(format).filter.normalized
    #expect(wanted.condition.firstError == nil, sourceLocation: location)
    for query in queries {
      #expect(query.filter.normalized == wanted, sourceLocation: location)
      #expect(
        query.filter.normalized.hashValue == wanted.hashValue, sourceLocation: location)
    }
  }

  @Test("closures, key-path operators, chained words, formats")
  func sideBySide() {
    same(
      "price > 1", Snack.all.where { $0.price > 1 }, Snack.all.where(\.price > 1),
      Snack.all.whose(\.price).greaterThan(1), Snack.all.where { 1 < $0.price })
    same(
      "price >= 1 AND price <= 2", Snack.all.where { $0.price.isBetween(1, 2) },
      Snack.all.where(\.price >= 1 && \.price <= 2), Snack.all.whose(\.price).between(1, 2),
      Snack.all.where("price BETWEEN {1, 2}"),
      Snack.all.whose(\.price).atLeast(1).and(\.price).atMost(2))
    same(
      "taste == nil", Snack.all.where { $0.taste == nil }, Snack.all.where(\.taste == nil),
      Snack.all.whose(\.taste).isNil())
    same(
      "taste != nil", Snack.all.where { $0.taste != nil }, Snack.all.where(!(\.taste == nil)),
      Snack.all.whose(\.taste).isNotNil(), Snack.all.where("NOT taste == nil"))
    same(
      "price > 1 AND name LIKE 'a*' OR isHot == YES",
      Snack.all.where { $0.price > 1 && $0.name.like("a*") || $0.isHot },
      Snack.all.whose(\.price).greaterThan(1).and(\.name).like("a*").or(\.isHot).equal(to: true),
      Snack.all.where("(price > 1 AND name LIKE 'a*') OR isHot"))
    let closure = Snack.all.where { $0.id == 2 || $0.id == 1 || $0.id == 3 }
    let paths = Snack.all.where(\.id == 3 || \.id == 2 || \.id == 1)
    let chain = Snack.all.whose(\.id).isIn([2, 3, 1] as [Int64])
    same("id IN {1, 2, 3}", closure, paths, chain, Snack.all.where { $0.id.isIn([3, 1, 2, 1]) })
    same(
      "amount IN {1}", Snack.all.where { $0.amount == 1 }, Snack.all.where { $0.amount.isIn([1]) },
      Snack.all.whose(\.amount).equal(to: 1))
    same(
      "ANY tags == 'hot'", Snack.all.where { $0.tags.contains("hot") },
      Snack.all.where { $0.tags.any { $0 == "hot" } }, Snack.all.whose(\.tags).contains("hot"),
      Snack.all.where("tags CONTAINS 'hot'"), Snack.all.where("'hot' IN tags"))
    same("ANY tags BEGINSWITH 'h'", Snack.all.where { $0.tags.any { $0.beginsWith("h") } })
    same(
      "name ==[c] 'a'", Snack.all.where { $0.name.equals("a", .caseInsensitive) },
      Snack.all.whose(\.name).equal(to: "a", .caseInsensitive))
    same("price * 2 > 4", Snack.all.where { $0.price * 2 > 4 })
    same("length(name) > 3", Snack.all.where { $0.name.length() > 3 })
    same("tags[SIZE] == 2", Snack.all.where { $0.tags.count() == 2 })
    same("id == 1 AND id == 1 AND price > 2", Snack.all.where { $0.id == 1 && $0.price > 2 })
  }

  @Test("relationships")
  func related() {
    func same(_ format: FilterFormat, _ queries: Query<Team>...) {
      let wanted = Team.all.where(format).filter.normalized
      #expect(wanted.condition.firstError == nil)
      for query in queries { #expect(query.filter.normalized == wanted) }
    }
    same(
      "ANY players.age > 30", Team.all.where { $0.players.any { $0.age > 30 } },
      Team.all.where { $0.players.count { $0.age > 30 } > 0 },
      Team.all.where("SUBQUERY(players, $p, $p.age > 30).@count >= 1"),
      Team.all.where("ANY SUBQUERY(players, $q, 30 < $q.age)"))
    same(
      "NONE players", Team.all.where { $0.players.isEmpty() },
      Team.all.where { $0.players.count == 0 },
      Team.all.where("players.@count == 0"))
    same("coach != nil", Team.all.where(\.coach != nil), Team.all.where { !($0.coach == nil) })
  }

  @Test("negations are pushed as far as two-valued logic allows")
  func negations() throws {
    let table = [
      ("NOT price == 1", "price != 1.0"), ("NOT price != 1", "price == 1.0"),
      // It holds for nil, which <= does not.
      ("NOT price > 1", "NOT (price > 1.0)"), ("NOT NOT price > 1", "price > 1.0"),
      ("NOT (price > 1 AND id == 1)", "NOT (price > 1.0) OR id != 1"),
      ("NOT (price > 1 OR id == 1)", "NOT (price > 1.0) AND id != 1"),
      ("NOT (id != 1 AND id != 2)", "id IN {1, 2}"), ("NOT TRUEPREDICATE", "FALSEPREDICATE"),
      ("NOT id IN {2, 1}", "NOT (id IN {1, 2})"),
    ]
    for (format, normal) in table {
      #expect(try Filter<Snack>(format: format).normalized.formatString == normal, "\(format)")
    }
  }

  @Test("constants are worked out, duplicates and parts that decide nothing dropped, lists sorted")
  func folding() throws {
    let table = [
      ("price > 1 + 2 * 3", "price > 7"), ("id == 7 / 2", "id == 3"),
      ("id == 1 / 0", "id == nil"),
      ("id == 2 ** 3", "id == 8.0"), ("id == -(3)", "id == -3"), ("id == abs(-3)", "id == 3"),
      ("name == uppercase('a')", "name == \"A\""), ("id == length('abc')", "id == 3"),
      ("1 == 1", "TRUEPREDICATE"), ("1 > 2 OR id == 1", "id == 1"),
      ("1 > 2 AND id == 1", "FALSEPREDICATE"),
      ("'a' ==[c] 'A'", "TRUEPREDICATE"), ("nil == nil", "TRUEPREDICATE"),
      ("nil < 1", "FALSEPREDICATE"),
      ("3 < id", "id > 3"), ("id IN {3, 1, 2, 3}", "id IN {1, 2, 3}"),
      ("id IN {}", "FALSEPREDICATE"),
      ("amount IN {2, nil, 1}", "amount IN {1, 2} OR amount == nil"),
      ("amount IN {nil}", "amount == nil"),
      ("name IN {'b', 'a', 'b'}", "name IN {\"a\", \"b\"}"), ("2 IN {1, 2}", "TRUEPREDICATE"),
      ("id == 1 OR (id == 2 OR price > 1)", "id IN {1, 2} OR price > 1.0"),
      ("id == 9223372036854775807 + 1", "id == nil"),
      ("price > 1 AND TRUEPREDICATE AND (price > 1 AND id == 1)", "price > 1.0 AND id == 1"),
      ("SUBQUERY(tags, $t, FALSEPREDICATE).@count > 0", "FALSEPREDICATE"),
      ("SUBQUERY(tags, $t, $t > 'a').@count > 0", "ANY tags > \"a\""),
      // The count of no array is nil, which is not 0.
      ("SUBQUERY(tags, $t, $t > 'a').@count == 0", "SUBQUERY(tags, $s1, $s1 > \"a\").@count == 0"),
    ]
    for (format, normal) in table {
      #expect(try Filter<Snack>(format: format).normalized.formatString == normal, "\(format)")
    }
    let nan = Filter<Snack>(
      .isIn(
        .attribute("price"), list: .value(.array([.double(.nan), .double(-0.0), .double(0)])), []))
    #expect(nan.normalized.formatString == "price == 0.0")
  }

  @Test("elements are numbered from the inside, whatever numbers they had")
  func scopes() throws {
    let odd = Condition.some(
      Elements(.init(["leagues"]), scope: 7),
      .some(
        Elements(.init(["players"]), scope: 2),
        .compare(.path(.init(["age"], scope: 2)), .greater, .path(.init(["number"], scope: 7)), []))
    )
    let format = "ANY SUBQUERY(leagues, $l, ANY players.age > $l.number)"
    #expect(Filter<Team>(odd).normalized == (try Filter<Team>(format: format)).normalized)
  }

  @Test("a filter is written as a format, and version 1 is read for ever")
  func coding() throws {
    let filter = try Filter<Snack>(format: "price > $LOW AND ANY tags BEGINSWITH[c] 'h'")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = String(decoding: try encoder.encode(filter), as: UTF8.self)
    #expect(written == #"{"format":"price > $LOW AND ANY tags BEGINSWITH[c] \"h\"","version":1}"#)
    func read(_ text: String) throws -> Filter<Snack> {
      try JSONDecoder().decode(Filter<Snack>.self, from: Data(text.utf8))
    }
    #expect(try read(written) == filter)
    #expect(
      try read(
        #"{"condition":{"compare":{"_0":{"path":{"_0":{"names":["id"],"scope":0}}},"_1":"equal","#
          + #""_2":{"value":{"_0":{"int":{"_0":3}}}},"_3":0}}}"#
      ).formatString == "id == 3")
    #expect(
      fault { _ = try read(#"{"version":2,"format":"id == 1"}"#) } == "invalidCondition Snack")
    #expect(
      fault { _ = try read(#"{"version":1,"format":"ix == 1"}"#) } == "unknownAttribute Snack.ix")
    // What no format says is written as a tree.
    let odd = Filter<Snack>(.compare(.attribute("price"), .equal, .value(.int(3)), []))
    #expect(try JSONDecoder().decode(Filter<Snack>.self, from: encoder.encode(odd)) == odd)
    var deep = "id == 1"
    for level in 0..<190 {
      deep = level % 2 == 0 ? "(\(deep)) OR id == 2" : "(\(deep)) AND id == 3"
    }
    let nested = try Filter<Snack>(format: deep)
    #expect(try JSONDecoder().decode(Filter<Snack>.self, from: encoder.encode(nested)) == nested)
  }
}
