import Foundation
import ORMCore
import TestSupport
import Testing

@Suite("Predicate formats: random trees")
struct FormatRandomTests {
  @Test("a tree prints to a format that reads to the same tree, and means the same normalized")
  func roundTrip() throws {
    let seed = runSeed()
    var trees = RandomFormatTree(seed: seed)
    let snacks = [
      Snack(
        id: 1, "Chips", taste: "salty", price: 2.5, amount: 7, isHot: true, tags: ["hot", "a"]),
      Snack(id: -3, "straße", price: -0.0, tags: ["a"]),
      Snack(id: 0, "", taste: "", price: 1e300, amount: -1),
    ]
    for _ in 0..<3_000 {
      let filter = Filter<Snack>(trees.condition(3))
      let printed = filter.formatString
      do {
        #expect(try Filter<Snack>(format: printed) == filter, "seed \(seed): \(printed)")
        let normal = filter.normalized
        #expect(normal.normalized == normal, "seed \(seed): \(printed)")
        for snack in snacks {
          #expect(
            try filter.matches(snack) == normal.matches(snack),
            "seed \(seed): \(printed) is not \(normal)")
        }
      } catch {
        Issue.record("seed \(seed): \(printed): \(error)")
      }
    }
  }

  @Test("trees of elements print and read back")
  func related() throws {
    let seed = runSeed()
    var trees = RandomFormatTree(seed: seed)
    for _ in 0..<1_000 {
      let filter = Filter<Team>(trees.team(3))
      let printed = filter.formatString
      do {
        #expect(try Filter<Team>(format: printed) == filter, "seed \(seed): \(printed)")
      } catch {
        Issue.record("seed \(seed): \(printed): \(error)")
      }
    }
  }
}

/// Random conditions of which every value is of its other side's kind, as typed filters make them.
struct RandomFormatTree {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { random.pick(elements) }

  mutating func condition(_ depth: Int) -> Condition {
    switch Int.random(in: 0..<(depth == 0 ? 7 : 12), using: &random) {
    case 0: return .constant(.random(using: &random))
    case 1, 2: return .compare(integer(depth), comparator(), integer(depth), [])
    case 3: return .compare(real(depth), comparator(), real(depth), [])
    case 4: return .compare(text(depth), comparator(), text(depth), options())
    case 5:
      let symbol = pick([TextOperator.contains, .beginsWith, .endsWith, .like])
      return .text(text(depth), symbol, text(0), options())
    case 6:
      let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in integerValue() }
      return .isIn(.attribute("amount"), list: .value(.array(list)), [])
    case 7: return .not(condition(depth - 1))
    case 8: return .all([condition(depth - 1), condition(depth - 1)])
    case 9: return .any([condition(depth - 1), condition(depth - 1), condition(depth - 1)])
    case 10: return .isIn(text(depth - 1), list: .attribute("tags"), options())
    default:
      // Its condition holds no other element, so that its number is the first.
      let item = Condition.compare(.item(1), pick([.less, .notEqual, .greater]), text(0), [])
      return .someItem(
        of: .attribute("tags"), scope: 1,
        pick([
          item, .text(.item(1), .contains, .value(.string("o")), .caseInsensitive),
          .all([item, .compare(.function(.length, .item(1)), .greater, .value(.int(2)), [])]),
        ]))
    }
  }

  private mutating func comparator() -> ORMCore.Comparator {
    pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  private mutating func options() -> TextOptions {
    pick([[], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .normalized]])
  }

  private mutating func integerValue() -> StoredValue {
    pick([.null, .int(0), .int(7), .int(-1), .int(.min), .int(.max)])
  }

  private mutating func integer(_ depth: Int) -> Operand {
    switch Int.random(in: 0..<(depth == 0 ? 3 : 11), using: &random) {
    case 7: return .function(.onesComplement, integer(depth - 1))
    case 8: return .function(.cast(.int), text(depth - 1))
    case 9: return .choice(condition(depth - 1), integer(depth - 1), integer(depth - 1))
    case 0: return .attribute("id")
    case 1: return .attribute("amount")
    case 2: return .value(integerValue())
    case 3: return .negated(integer(depth - 1))
    case 4: return .function(.length, text(depth - 1))
    case 5: return .function(.count, .attribute("tags"))
    case 6: return .function(.abs, integer(depth - 1))
    default:
      return .arithmetic(
        pick([
          .add, .subtract, .multiply, .divide, .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor,
          .shiftLeft, .shiftRight,
        ]), integer(depth - 1), integer(depth - 1))
    }
  }

  private mutating func real(_ depth: Int) -> Operand {
    switch Int.random(in: 0..<(depth == 0 ? 2 : 6), using: &random) {
    case 0: return .attribute("price")
    case 1: return .value(pick([.null, .double(0), .double(-0.0), .double(2.5), .double(-1e-7)]))
    case 2:
      return .function(pick([.ceiling, .floor, .trunc, .abs, .round, .sqrt, .ln]), real(depth - 1))
    case 3: return .negated(real(depth - 1))
    case 4: return .arithmetic(.power, real(depth - 1), real(depth - 1))
    default:
      return .arithmetic(pick([.add, .multiply, .divide]), real(depth - 1), real(depth - 1))
    }
  }

  private mutating func text(_ depth: Int) -> Operand {
    switch Int.random(in: 0..<(depth == 0 ? 3 : 7), using: &random) {
    case 0: return .attribute("name")
    case 1: return .attribute("taste")
    case 2:
      return .value(
        pick([
          .null, .string(""), .string("a*?\\"), .string("it's \"x\"\n\t\u{0}"), .string("STRASSE"),
          .string("é$x%@"),
        ]))
    case 3: return .function(.uppercase, text(depth - 1))
    case 4: return .function(.lowercase, text(depth - 1))
    case 5: return .element(.attribute("tags"), pick([0, 1, -1]))
    default: return .function(.last, .attribute("tags"))
    }
  }

  /// A condition on a team, inside one on its players or not; the player next around has the number
  /// -1.
  mutating func team(_ depth: Int, inside: Bool = false) -> Condition {
    let name = Operand.attribute("name")
    let player = inside ? Operand.path(.init(["age"], scope: -1)) : nil
    switch Int.random(in: 0..<(depth == 0 ? 3 : 8), using: &random) {
    case 0: return .compare(name, comparator(), .value(.string("Reds")), [])
    case 1: return .compare(player ?? .attribute("id"), comparator(), .value(.int(30)), [])
    case 2: return .compare(.path(.init(["coach"])), .equal, .value(.null), [])
    case 3: return .not(team(depth - 1, inside: inside))
    case 4: return .all([team(depth - 1, inside: inside), team(depth - 1, inside: inside)])
    case 5: return .any([team(depth - 1, inside: inside), team(depth - 1, inside: inside)])
    case 6: return element(depth) { elements, inner in .some(elements, inner) }
    default:
      let operand = pick([nil, Operand.path(.init(["age"], scope: -1))])
      let kinds: [Aggregate.Kind] = operand == nil ? [.count] : [.sum, .minimum, .maximum, .count]
      let kind = pick(kinds)
      return element(depth) { elements, inner in
        .compare(
          .ofElements(
            kind, operand?.mappingPaths { _ in .init(["age"], scope: elements.scope) }, elements,
            inner), .greater, .value(.int(3)), [])
      }
    }
  }

  private mutating func element(
    _ depth: Int, _ make: (Elements, Condition) -> Condition
  ) -> Condition {
    // The number is known when the condition inside is.
    let inner = team(depth - 1, inside: true)
    let scope = inner.highestScope + 1
    return make(
      Elements(.init(["players"]), scope: scope),
      inner.mappingPaths {
        $0.scope == -1 ? Operand.Path($0.names, scope: scope) : $0
      })
  }
}
