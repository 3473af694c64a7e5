internal import ORMStorage

extension DifferenceFinder {
  /// Asks whether a part got another name; returns false if there is no name to ask about.
  @discardableResult
  mutating func ask(
    _ part: SchemaDifference.Part, _ entity: String, _ name: String, _ others: [String]
  ) -> Bool {
    if others.isEmpty { return false }
    let candidates = others.map { other in
      let names = Self.likeness(name, other)
      let values = part == .attribute ? likenessOfValues(entity, name, other) : nil
      return Question.Candidate(
        name: other, likeness: values.map { (names + $0) / 2 } ?? names, valueLikeness: values)
    }
    questions.append(
      Question(part: part, entity: entity, name: name, candidates: Self.ranked(candidates)))
    return true
  }

  /// Asks whether dropped entities are the added ones that share most attributes with them.
  mutating func findRenamedEntities(_ dropped: [StoredEntity], _ added: [StoredEntity]) {
    for entity in dropped {
      let candidates = added.compactMap { other -> Question.Candidate? in
        guard (entity.parent == nil) == (other.parent == nil) else { return nil }
        let shared = share(entity, other)
        guard shared >= 0.5 else { return nil }
        let likeness = (shared + Self.likeness(entity.modelName, other.modelName)) / 2
        return Question.Candidate(name: other.modelName, likeness: likeness)
      }
      if candidates.isEmpty { continue }
      questions.append(
        Question(
          part: .entity, entity: entity.modelName, name: nil, candidates: Self.ranked(candidates)))
    }
  }

  /// The part of both entities' attributes that they share by name and type.
  private func share(_ entity: StoredEntity, _ other: StoredEntity) -> Double {
    let before = old.declaredAttributes(of: entity)
    let after = new.declaredAttributes(of: other)
    let shared = before.filter { column in
      after.contains { $0.attribute == column.attribute && $0.type == column.type }
    }
    let all = before.count + after.count
    return all == 0 ? 0 : Double(2 * shared.count) / Double(all)
  }

  private static func ranked(_ candidates: [Question.Candidate]) -> [Question.Candidate] {
    candidates.enumerated().sorted { one, other in
      one.element.likeness == other.element.likeness
        ? one.offset < other.offset : one.element.likeness > other.element.likeness
    }.map(\.element)
  }

  /// The likeness of two names from 0 to 1: the part of the longer one that an edit keeps.
  ///
  /// Case and underscores do not count: `first_name` and `firstName` are alike.
  static func likeness(_ name: String, _ other: String) -> Double {
    let one = Array(name.lowercased().filter { $0 != "_" })
    let two = Array(other.lowercased().filter { $0 != "_" })
    let longer = max(one.count, two.count)
    if longer == 0 { return 1 }
    return 1 - Double(distance(one, two)) / Double(longer)
  }

  /// The least number of characters to insert, remove or replace (Levenshtein).
  private static func distance(_ one: [Character], _ two: [Character]) -> Int {
    var row = Array(0...two.count)
    for (position, character) in one.enumerated() {
      var diagonal = row[0]
      row[0] = position + 1
      for index in two.indices {
        let replaced = diagonal + (character == two[index] ? 0 : 1)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, row[index] + 1, row[index + 1] + 1)
      }
    }
    return row[two.count]
  }
}
