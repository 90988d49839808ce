Gem::Specification.new do |spec|
  spec.name = "baton-kit"
  spec.version = "0.1.0"
  spec.summary = "A shop's side of Baton, the waiting room: lets in what came through it, and speaks to it."
  spec.authors = ["The Baton authors"]
  spec.license = "Apache-2.0"
  spec.required_ruby_version = ">= 3.0"
  spec.files = Dir["lib/**/*.rb", "README.md"]
end
