#if Macros
  internal import Foundation
  internal import ORM
  internal import Testing

  /// The README's models compile, and are what the README says.
  @Suite struct ReadmeTests {
    @Test func `M2: every model of the README is compiled here`() throws {
      let tests = URL(filePath: #filePath).deletingLastPathComponent()
      let package = tests.appending(path: "../../..")
      let readme = try text(package.appending(path: "README.md"))
      let compiled = code(try text(tests.appending(path: "ReadmeModels.swift")))
      let models = models(of: readme)
      #expect(models.count == 5)
      for model in models { #expect(compiled.contains(code(model)), "\(model)") }
    }

    @Test func `M2: the README's model by the macro is its model by hand`() throws {
      #expect(
        try Schema(Readme.Snack.self).stored == Schema(ReadmeByHand.Snack.self).stored)
    }

    @Test(arguments: TestedStore.allCases)
    func `M2: what the README does with its models works`(_ kind: TestedStore) throws {
      let schema = try Schema(
        Readme.Snack.self, Readme.Enrolment.self, Readme.Stall.self, Readme.Team.self,
        Readme.Coach.self, Readme.Player.self, Readme.League.self)
      try kind.with(schema) { store in
        let chips = try store.save(Readme.Snack(name: "Chips", price: 2.5))
        let cheap = try store.fetch(
          Readme.Snack.all.where { $0.price < 3 && $0.name.beginsWith("C") })
        #expect(cheap.map(\.id) == [chips.id])
        var team = Readme.Team(name: "Reds")
        team.players = [Readme.Player(name: "Bo"), Readme.Player(name: "Cy", age: 31)]
        let saved = try store.save(team)
        #expect(saved.playerCount == 2)
        let found = try store.fetch(
          Readme.Team.all.where { t in t.players.any { $0.age > 30 } && t.playerCount > 1 })
        #expect(found.map(\.name) == ["Reds"])
        try expectFailure(.validationFailed, "Stall") {
          try store.save(Readme.Stall(name: "fruit", opens: 9, closes: 9))
        }
        #expect(try store.save(Readme.Stall(name: "fruit")).version == 1)
      }
    }

    private func text(_ file: URL) throws -> String {
      try String(contentsOf: file, encoding: .utf8)
    }

    /// The declarations of models in a text's blocks of Swift.
    private func models(of text: String) -> [String] {
      var models: [String] = []
      var model: [Substring] = []
      for line in text.split(separator: "\n") {
        if line.hasPrefix("@Persistable") || line.hasPrefix("struct "), model.isEmpty {
          model = [line]
        } else if !model.isEmpty {
          model.append(line)
        }
        if line == "}", !model.isEmpty {
          models.append(model.joined(separator: "\n"))
          model = []
        }
      }
      return models
    }

    /// Code without comments, spaces and semicolons.
    private func code(_ text: String) -> String {
      text.split(separator: "\n").map { line in
        var line = String(line)
        if let comment = line.range(of: "//") { line.removeSubrange(comment.lowerBound...) }
        return line.filter { !$0.isWhitespace && $0 != ";" }
      }.joined()
    }
  }
#endif
