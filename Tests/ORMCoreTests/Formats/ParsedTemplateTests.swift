import Foundation
import ORMCore
import Testing

private struct Meal: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var price: Double
  var weight: Float
  var cost: Decimal
  var made: Date
  var code: UUID
  var tags: [String]
  var done: Bool
  static let entity = Entity<Meal>("Meal") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("price", \.price)
      .attribute("weight", \.weight)
      .attribute("cost", \.cost)
      .attribute("made", \.made)
      .attribute("code", \.code)
      .attribute("tags", \.tags)
      .attribute("done", \.done)
      .template("cheap", "price < $LIMIT AND name BEGINSWITH $START", sortedBy: "price + $SHIFT")
      .fetched("dearer", Meal.self, "price > $FETCH_SOURCE.price AND id != $FETCH_SOURCE")
  }

  init(_ id: Int64, price: Double) {
    self.id = id
    name = "meal \(id)"
    self.price = price
    weight = 1
    cost = 1
    made = Date(timeIntervalSinceReferenceDate: 0)
    code = UUID()
    tags = []
    done = false
  }
}

/// Templates that are parsed once, and filled in with values.
@Suite struct ParsedTemplateTests {
  @Test("7.4: a template is parsed once for values of the same kinds")
  func counts() throws {
    let templates = Meal.entity.parsedTemplates
    let start = templates.parseCount
    for number in 1...50 {
      let query = Meal.all.template(
        "cheap", ["LIMIT": number, "START": "m\(number)", "SHIFT": number])
      #expect(
        "\(query.filter)" == "price < \(number).0 AND name BEGINSWITH \"m\(number)\"")
    }
    #expect(templates.parseCount == start + 1)
    // Doubles are of another kind.
    for number in 1...50 {
      _ = Meal.all.template("cheap", ["LIMIT": 0.5 + Double(number), "START": "m", "SHIFT": 1])
    }
    #expect(templates.parseCount == start + 2)
    for number in 1...50 {
      let meal = Meal(Int64(number), price: Double(number) / 2)
      #expect(
        "\(meal.fetched("dearer", Meal.self).filter)"
          == "price > \(Double(number) / 2) AND id != \(number)")
    }
    #expect(templates.parseCount == start + 3)
    // What does not fit is an error each time.
    for _ in 1...2 {
      let query = Meal.all.template("cheap", ["LIMIT": "x", "START": "m", "SHIFT": 1])
      #expect(query.filter.condition.firstError?.message.contains("cannot be compared") == true)
    }
  }

  private static let formats = [
    "price < $A", "weight == $A", "cost >= $A + 1", "made > $A", "code == $A", "name LIKE $A",
    "name MATCHES[c] $A", "name IN $A", "$A IN tags", "price BETWEEN {$A, $B}", "price IN {$A, 2}",
    "price IN {$A, $B}", "ANY tags == $A", "CAST($A, 'NSDate') < made", "done == $A", "$A",
    "TERNARY(done == YES, $A, price) > $B", "name.length == $A", "price < $A OR name CONTAINS $B",
    "-$A < price", "$A.@count == 2", "price BETWEEN $A", "id == $C OR price == $A", "tags[0] == $A",
    "SUBQUERY(tags, $t, $t == $A).@count > $B", "SELF == $A", "FUNCTION('$A', 'x') == 1",
  ]

  private static let values: [StoredValue] = [
    .int(3), .int(1), .double(2.5), .double(0.1), .string("a"), .string("2024-01-02T03:04:05Z"),
    .string("("), .string("b*"), .bool(true), .null, .array([.int(1), .int(2)]),
    .array([.int(0), .int(9)]), .array([.string("a"), .string("b")]), .array([]),
    .array([.int(1), .null]), .string("8A1B9C3D-0000-4000-8000-0123456789AB"),
    .uint(UInt64(Int64.max) + 9), .int(Int64.max), .date(Date(timeIntervalSinceReferenceDate: 5)),
  ]

  /// The condition of a template, or the words of its error.
  private func outcome(_ body: () throws -> (condition: Condition, order: [SortTerm])) -> String {
    do {
      let parsed = try body()
      return "\(parsed.condition) \(parsed.order)"
    } catch let error as StoreError {
      return "\(error.code) \(error.message)"
    } catch {
      return "another error: \(error)"
    }
  }

  @Test("7.4: a template that was parsed before is what it is when parsed with its values")
  func same() {
    var asked = 0
    var hits = 0
    for format in Self.formats {
      let template = QueryTemplate("t", format, order: "price + 1, -name[c]")
      let templates = ParsedTemplates()
      let others = [StoredValue.int(2), .int(5), .double(7.5), .string("b"), .string("c")]
      for first in Self.values {
        for second in format.contains("$B") ? others : [others[0]] {
          let values: [ExactText: FormatVariable] = ["A": .value(first), "B": .value(second)]
          // A name that the format lacks is an error of its own.
          let known = values.filter { format.contains("$" + $0.key.text) }
          let expected = outcome { try template.parsed(for: .model(Meal.self), values: known) }
          let parses = templates.parseCount
          let found = outcome {
            try templates.parsed(
              template, as: .init("t", of: Meal.self), for: .model(Meal.self), values: known)
          }
          #expect(found == expected, "\(format) with \(first) and \(second)")
          asked += 1
          if templates.parseCount == parses { hits += 1 }
        }
      }
    }
    #expect(hits > 30, "\(hits) of \(asked) were parsed before")
  }
}
